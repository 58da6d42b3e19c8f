import type { JsonSchema } from '@glovebox/core';

const list = { type: 'array', items: { type: 'string' } };
const node = {
  type: 'object',
  properties: { value: { type: 'number' }, next: { $ref: '#/$defs/node' } },
};

/** A schema, the type that it is written as, and values that the compiler takes and refuses. */
export interface TypeCase {
  readonly what: string;
  readonly schema: JsonSchema;
  readonly type: string;
  readonly good?: readonly string[];
  readonly bad?: readonly string[];
}

export const TYPE_CASES: readonly TypeCase[] = [
  { what: 'text', schema: { type: 'string' }, type: 'string', good: ['"x"'], bad: ['1'] },
  { what: 'an integer', schema: { type: 'integer' }, type: 'number', good: ['1'], bad: ['"1"'] },
  { what: 'anything', schema: {}, type: 'unknown', good: ['1', '{}'] },
  { what: 'null', schema: { type: 'null' }, type: 'null', good: ['null'], bad: ['0'] },
  {
    what: 'several types',
    schema: { type: ['string', 'null'] },
    type: 'string | null',
    good: ['"x"', 'null'],
    bad: ['1'],
  },
  {
    what: 'nullable',
    schema: { type: 'string', nullable: true },
    type: 'string | null',
    good: ['null'],
  },
  {
    what: 'an enum',
    schema: { enum: ['a', 'it\'s "b"\n', 1, null, -2] },
    type: String.raw`"a" | "it's \"b\"\n" | 1 | null | -2`,
    good: ['"a"', '-2'],
    bad: ['"c"', '2'],
  },
  { what: 'a constant', schema: { const: true }, type: 'true', good: ['true'], bad: ['false'] },
  {
    what: 'a constant object',
    schema: { const: { a: [1, 'x'] } },
    type: '{ a: [1, "x"] }',
    good: ['{ a: [1, "x"] }'],
    bad: ['{ a: [2, "x"] }'],
  },
  { what: 'a list', schema: list, type: 'string[]', good: ['["x"]'], bad: ['[1]', '"x"'] },
  { what: 'a list of anything', schema: { type: 'array' }, type: 'unknown[]', good: ['[1]'] },
  {
    what: 'a list of alternatives',
    schema: { items: { enum: ['a', 'b'] } },
    type: 'Array<"a" | "b">',
    good: ['["a", "b"]'],
    bad: ['["c"]'],
  },
  {
    what: 'a tuple',
    schema: {
      prefixItems: [{ type: 'string' }, { type: 'number' }],
      items: false,
      minItems: 2,
    },
    type: '[string, number]',
    good: ['["a", 1]'],
    bad: ['["a"]', '["a", 1, 2]'],
  },
  {
    what: 'a tuple with optional items',
    schema: { prefixItems: [{ type: 'string' }, { enum: [1, 2] }], minItems: 1, items: list },
    type: '[string, (1 | 2)?, ...Array<string[]>]',
    good: ['["a"]', '["a", 1, ["b"]]'],
    bad: ['[]', '["a", 3]'],
  },
  {
    what: 'a tuple of draft-07',
    schema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      items: [{ type: 'string' }],
      additionalItems: { type: 'number' },
    },
    type: '[string?, ...number[]]',
    good: ['["a", 1]'],
    bad: ['["a", "b"]'],
  },
  {
    what: 'an object',
    schema: {
      type: 'object',
      properties: { id: { type: 'number' }, note: { type: 'string' } },
      required: ['id'],
    },
    type: '{ id: number; note?: string }',
    good: ['{ id: 1 }', '{ id: 1, note: "x" }'],
    bad: ['{}', '{ id: "1" }', '{ id: 1, other: 1 }'],
  },
  {
    what: 'names that are no identifiers',
    schema: {
      properties: { 'a-b': list, 'it"s\n*/': list, ünï: list },
      required: ['a-b'],
    },
    type: String.raw`{ "a-b": string[]; "it\"s\n*/"?: string[]; "ünï"?: string[] }`,
    good: ['{ "a-b": [] }'],
    bad: ['{ "ünï": [] }'],
  },
  {
    what: 'a name that is only required',
    schema: { required: ['id'] },
    type: '{ id: unknown }',
    good: ['{ id: 1 }'],
    bad: ['{}'],
  },
  {
    what: 'an object of anything',
    schema: { type: 'object' },
    type: '{ [key: string]: unknown }',
    good: ['{ a: 1 }'],
    bad: ['1'],
  },
  {
    what: 'an empty object',
    schema: { type: 'object', additionalProperties: false },
    type: '{ [key: string]: never }',
    good: ['{}'],
    bad: ['{ a: 1 }'],
  },
  {
    what: 'a record',
    schema: { additionalProperties: { type: 'number' } },
    type: '{ [key: string]: number }',
    good: ['{ a: 1 }'],
    bad: ['{ a: "x" }'],
  },
  {
    what: 'a record beside names',
    schema: { properties: { a: { type: 'string' } }, additionalProperties: { type: 'number' } },
    type: '{ a?: string; [key: string]: unknown }',
    good: ['{ a: "x", b: 1 }'],
    bad: ['{ a: 1 }'],
  },
  {
    what: 'a record by patterns',
    schema: { patternProperties: { '^a': { type: 'number' }, '^b': { type: 'string' } } },
    type: '{ [key: string]: number | string }',
    good: ['{ a1: 1, b1: "x" }'],
    bad: ['{ a1: true }'],
  },
  {
    what: 'alternatives',
    schema: {
      oneOf: [
        { properties: { kind: { const: 'a' } }, required: ['kind'], description: 'First.' },
        { properties: { kind: { const: 'b' }, n: { type: 'number' } }, required: ['kind', 'n'] },
      ],
    },
    type: '/** First. */ { kind: "a" } | { kind: "b"; n: number }',
    good: ['{ kind: "a" }', '{ kind: "b", n: 1 }'],
    bad: ['{ kind: "b" }', '{ kind: "c" }'],
  },
  {
    what: 'an object of several parts',
    schema: {
      type: 'object',
      allOf: [
        { properties: { a: { type: 'number' } }, required: ['a'] },
        { anyOf: [{ required: ['b'] }, { required: ['c'] }] },
      ],
    },
    type: '{ a: number } & ({ b: unknown } | { c: unknown })',
    good: ['{ a: 1, b: 1 }'],
    bad: ['{ a: 1 }', '{ b: 1 }'],
  },
  {
    what: 'alternatives that only narrow',
    schema: { type: 'string', anyOf: [{ minLength: 3 }, { pattern: '^a' }] },
    type: 'string',
    good: ['"x"'],
    bad: ['1'],
  },
  { what: 'nothing', schema: { not: {}, enum: [1] }, type: '1', bad: ['2'] },
  {
    what: 'what no value fits',
    schema: { properties: { a: false } },
    type: '{ a?: never }',
    good: ['{}'],
    bad: ['{ a: 1 }'],
  },
  {
    what: 'a definition',
    schema: {
      $defs: { 'order-line': list },
      properties: { lines: { $ref: '#/$defs/order-line' } },
    },
    type: '{ lines?: AInputOrderLine }',
    good: ['{ lines: ["x"] }'],
    bad: ['{ lines: [1] }'],
  },
  {
    what: 'what refers to itself by a name',
    schema: { $defs: { node }, $ref: '#/$defs/node' },
    type: 'AInputNode',
    good: ['{ next: { next: { value: 1 } } }'],
    bad: ['{ next: { value: "x" } }'],
  },
  {
    what: 'what refers to itself as a whole',
    schema: { type: 'object', properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } } },
    type: '{ next?: AInput | null }',
    good: ['{ next: { next: null } }'],
    bad: ['{ next: { next: 1 } }'],
  },
  {
    what: 'a record that refers to itself',
    schema: {
      $defs: {
        v: { anyOf: [{ type: 'string' }, { additionalProperties: { $ref: '#/$defs/v' } }] },
      },
      $ref: '#/$defs/v',
    },
    type: 'AInputV',
    good: ['{ a: { b: "x" } }'],
    bad: ['{ a: 1 }'],
  },
  {
    what: 'a reference to a reference',
    schema: { $defs: { a: { $ref: '#/$defs/b' }, b: list }, $ref: '#/$defs/a' },
    type: 'AInputA',
    good: ['["x"]'],
    bad: ['[1]'],
  },
  {
    what: 'a reference into a property',
    schema: {
      properties: { a: { type: 'number' }, b: { $ref: '#/properties/a' } },
    },
    type: '{ a?: number; b?: AInputA }',
    good: ['{ b: 1 }'],
    bad: ['{ b: "x" }'],
  },
  {
    what: 'a Map',
    schema: {
      'x-javascript-type': 'Map',
      propertyNames: { type: 'string' },
      additionalProperties: { 'x-javascript-type': 'Date' },
    },
    type: 'Map<string, Date>',
    good: ['new Map([["a", new Date()]])'],
    bad: ['new Map([["a", 1]])', '{}'],
  },
  {
    what: 'a Set',
    schema: { 'x-javascript-type': 'Set', items: { 'x-javascript-type': 'bigint' } },
    type: 'Set<bigint>',
    good: ['new Set([1n])'],
    bad: ['new Set([1])'],
  },
  {
    what: 'a Map of anything',
    schema: { 'x-javascript-type': 'Map' },
    type: 'Map<unknown, unknown>',
    good: ['new Map()'],
  },
  {
    what: 'bytes',
    schema: { 'x-javascript-type': 'Uint8Array' },
    type: 'Uint8Array',
    good: ['new Uint8Array(1)'],
    bad: ['"x"'],
  },
];
