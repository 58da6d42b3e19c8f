import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

import { ToolRegistry, toolTypes } from '@glovebox/core';
import type { AnyTool, JsonSchema } from '@glovebox/core';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

function typesOf(...definitions: readonly Partial<AnyTool>[]): string {
  const registry = new ToolRegistry();
  for (const definition of definitions) {
    registry.register({ name: 'a', source: '', ...definition } as AnyTool);
  }
  return toolTypes(registry.list());
}

const list = { type: 'array', items: { type: 'string' } };
const node = {
  type: 'object',
  properties: { value: { type: 'number' }, next: { $ref: '#/$defs/node' } },
};

/** A schema with a definition of the given type, which it refers to. */
const schemaOf = (type: string): JsonSchema => ({
  $defs: { id: { type } },
  properties: { id: { $ref: '#/$defs/id' } },
});

/** A schema, the type that it is written as, and values that the compiler takes and refuses. */
interface Case {
  readonly what: string;
  readonly schema: JsonSchema;
  readonly type: string;
  readonly good?: readonly string[];
  readonly bad?: readonly string[];
}

const CASES: readonly Case[] = [
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

const WORKSPACE = path.join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const compiler = path.join(path.dirname(require.resolve('typescript/package.json')), 'bin/tsc');

/** What the compiler says of files, by name. */
async function compile(files: ReadonlyMap<string, string>): Promise<string> {
  const folder = await mkdtemp(path.join(WORKSPACE, 'tests/.types-'));
  try {
    await Promise.all([...files].map(([name, text]) => writeFile(path.join(folder, name), text)));
    const flags = ['--noEmit', '--strict', '--pretty', 'false', '--ignoreConfig'];
    const target = ['--target', 'esnext', '--module', 'esnext', '--types', 'node'];
    const args = [compiler, ...flags, ...target, ...files.keys()];
    return await new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: folder }, (_error, stdout, stderr) =>
        resolve(stdout + stderr),
      );
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

function programOf({ schema, good = [], bad = [] }: Case): string {
  return [
    typesOf({ inputSchema: schema }),
    ...good.map((value) => `void a(${value});`),
    ...bad.map((value) => `// @ts-expect-error -- not of the type\nvoid a(${value});`),
    'export {};\n',
  ].join('\n');
}

describe('the types of tools', () => {
  test.each(CASES)('$what', ({ schema, type }) => {
    expect(typesOf({ inputSchema: schema })).toContain(
      `function a(args: ${type}): Promise<unknown>;`,
    );
  });

  describe('for the TypeScript compiler', () => {
    let complaints: string;
    beforeAll(async () => {
      complaints = await compile(
        new Map([
          ...CASES.map((each, index) => [`case-${index}.ts`, programOf(each)] as const),
          ['wrong.ts', 'const n: number = "a";\nexport { n };\n'],
        ]),
      );
    });

    test('say which values fit, and which do not', () => {
      const lines = complaints.trim().split('\n');
      // The one mistake that was put there shows that the compiler has looked.
      expect(lines).toEqual([expect.stringContaining('wrong.ts(1,7): error TS2322')]);
    });
  });

  test('are functions, and methods of groups', () => {
    const types = typesOf(
      { name: 'score', description: 'How good it is.', source: '' },
      { name: 'orders.total', outputSchema: { type: 'number' }, source: '' },
      { name: 'orders.archive.find', source: '' },
      { name: 'orders.delete', source: '' },
    );
    expect(types).toBe(`\
/** How good it is. */
declare function score(args?: unknown): Promise<unknown>;

declare const orders: {
  total(args?: unknown): Promise<number>;
  archive: {
    find(args?: unknown): Promise<unknown>;
  };
  delete(args?: unknown): Promise<unknown>;
};
`);
  });

  test('keep descriptions, and say in tags what a type cannot', () => {
    const inputSchema = z.object({
      id: z.int().min(1).describe('Number of the order.'),
      mail: z.email().default('a@b.c'),
      lines: z
        .array(z.object({ sku: z.string().max(9).describe('Article.\nAs printed.') }))
        .min(1)
        .describe('What was bought.'),
      plain: z.boolean(),
    });
    const description = 'Adds an order.\n\nOnce only.';
    const types = typesOf({ description, inputSchema: inputSchema.describe('The order.') });
    expect(types).toBe(`\
/**
 * Adds an order.
 *
 * Once only.
 * @param args The order.
 */
declare function a(args: {
  /**
   * Number of the order.
   * @type integer
   * @minimum 1
   */
  id: number;
  /**
   * @default a@b.c
   * @format email
   */
  mail?: string;
  /**
   * What was bought.
   * @minItems 1
   */
  lines: Array<{
    /**
     * Article.
     * As printed.
     * @maxLength 9
     */
    sku: string;
  }>;
  plain: boolean;
}): Promise<unknown>;
`);
  });

  test('no description ends its comment', async () => {
    const hostile = '*/ declare const evil: 1; /*';
    const types = typesOf({
      description: `${hostile}\r${hostile}\u2028// ${hostile}`,
      inputSchema: {
        description: hostile,
        properties: {
          a: { description: hostile, default: hostile, type: 'string' },
          b: { oneOf: [{ description: `\n${hostile}`, const: 1 }] },
        },
      },
    });
    const program = `${types}\n// @ts-expect-error -- it is not there\nvoid evil;\nexport {};\n`;
    expect(await compile(new Map([['hostile.ts', program]]))).toBe('');
  });

  test('tools with definitions of one name do not mix them up', async () => {
    const types = typesOf(
      { name: 'a.b', inputSchema: schemaOf('string'), source: '' },
      { name: 'a_b', inputSchema: schemaOf('number'), source: '' },
    );
    const program = `${types}\nvoid a.b({ id: 'x' });\nvoid a_b({ id: 1 });\nexport {};\n`;
    expect(await compile(new Map([['names.ts', program]]))).toBe('');
  });
});
