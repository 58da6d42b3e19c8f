import { ToolRegistry } from '@glovebox/core';
import type { RegisteredTool, StandardSchemaWithJson } from '@glovebox/core';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const execute = (): void => undefined;

function toolWith(
  inputSchema: StandardSchemaWithJson,
  outputSchema: StandardSchemaWithJson = z.unknown(),
): RegisteredTool {
  return new ToolRegistry().register({ name: 'a', inputSchema, outputSchema, execute });
}

const bytes = new Uint8Array([1, 2]);
const when = new Date(7);

/** The same schema in each library, and what it calls a wrong type and a missing property. */
const LIBRARIES: [string, StandardSchemaWithJson, string, string][] = [
  [
    'zod',
    z.object({
      count: z.number().min(1),
      when: z.date(),
      bytes: z.instanceof(Uint8Array),
      map: z.instanceof(Map),
      inner: z.object({ names: z.array(z.string()) }),
    }),
    'invalid_type',
    'invalid_type',
  ],
  [
    'ArkType',
    type({
      count: 'number >= 1',
      when: 'Date',
      bytes: type.instanceOf(Uint8Array),
      map: type.instanceOf(Map),
      inner: { names: 'string[]' },
    }),
    'domain',
    'required',
  ],
  [
    'Valibot',
    toStandardJsonSchema(
      v.object({
        count: v.pipe(v.number(), v.minValue(1)),
        when: v.date(),
        bytes: v.instance(Uint8Array),
        map: v.map(v.string(), v.any()),
        inner: v.object({ names: v.array(v.string()) }),
      }),
    ),
    'string',
    'object',
  ],
];

describe.each(LIBRARIES)('a schema of %s', (_library, schema, wrongType, missing) => {
  test('takes values that JSON does not have', async () => {
    const value = { count: 2, when, bytes, map: new Map([['a', 1]]), inner: { names: ['a'] } };
    expect(await toolWith(schema).validateInput(value)).toEqual({ ok: true, value });
  });

  test('tells each fault by pointer, keyword and message', async () => {
    const value = { count: 2, bytes, map: new Map(), inner: { names: ['a', 1] } };
    const validation = await toolWith(schema).validateInput(value);
    const faults = validation.ok ? [] : validation.faults;
    expect(new Map(faults.map(({ path, keyword }) => [path, keyword]))).toEqual(
      new Map([
        ['/inner/names/1', wrongType],
        ['/when', missing],
      ]),
    );
    for (const { message } of faults) expect(message).not.toBe('');
  });

  test('is written as JSON Schema, with types that JSON does not have', () => {
    expect(toolWith(schema).inputJsonSchema).toMatchObject({
      type: 'object',
      properties: {
        count: { type: 'number', minimum: 1 },
        when: { 'x-javascript-type': 'Date' },
        bytes: { 'x-javascript-type': 'Uint8Array' },
        map: { 'x-javascript-type': 'Map' },
        inner: { properties: { names: { type: 'array', items: { type: 'string' } } } },
      },
      required: expect.arrayContaining(['count', 'when', 'bytes', 'map', 'inner']),
    });
  });

  test('makes its JSON Schema anew for another tool', () => {
    expect(toolWith(schema).inputJsonSchema).toEqual(toolWith(schema).inputJsonSchema);
  });
});

describe('a Standard Schema', () => {
  test('the value is what the schema makes of it', async () => {
    const tool = toolWith(z.object({ id: z.coerce.number(), size: z.number().default(10) }));
    const validation = await tool.validateInput({ id: '7', more: 1 });
    expect(validation).toEqual({ ok: true, value: { id: 7, size: 10 } });
  });

  test('input has the JSON Schema of what goes in, output of what comes out', () => {
    const schema = z.object({ n: z.number().default(1) });
    const { inputJsonSchema, outputJsonSchema } = toolWith(schema, schema);
    expect(inputJsonSchema?.['required']).toBeUndefined();
    expect(outputJsonSchema?.['required']).toEqual(['n']);
  });

  test('may take its time', async () => {
    const schema = z.string().refine(async (text) => text !== 'taken', 'is taken');
    const tool = toolWith(schema);
    expect(await tool.validateInput('free')).toEqual({ ok: true, value: 'free' });
    expect(await tool.validateInput('taken')).toEqual({
      ok: false,
      faults: [{ path: '/', keyword: 'custom', message: 'is taken' }],
    });
  });

  test.each<[string, StandardSchemaWithJson, Record<string, unknown>]>([
    ['a BigInt', z.bigint(), { 'x-javascript-type': 'bigint' }],
    ['nothing', z.void(), { 'x-javascript-type': 'undefined' }],
    ['a URL', z.instanceof(URL), { 'x-javascript-type': 'URL' }],
    ['a Buffer', z.instanceof(Buffer), { 'x-javascript-type': 'Uint8Array' }],
    ['a description', z.date().describe('Now'), { description: 'Now' }],
    [
      'a Map',
      z.map(z.string(), z.date()),
      {
        'x-javascript-type': 'Map',
        propertyNames: { type: 'string' },
        additionalProperties: { 'x-javascript-type': 'Date' },
      },
    ],
    ['a Set', z.set(z.number()), { 'x-javascript-type': 'Set', items: { type: 'number' } }],
    [
      'a union',
      z.union([z.date(), z.null()]),
      { anyOf: [{ 'x-javascript-type': 'Date' }, { type: 'null' }] },
    ],
    ['a text made a number', z.string().transform(Number), { type: 'string' }],
    ["ArkType's own test", type('string').narrow((text) => text !== 'a'), { type: 'string' }],
    ["ArkType's bigint", type('bigint'), { 'x-javascript-type': 'bigint' }],
  ])('%s is written as JSON Schema', (_what, schema, expected) => {
    expect(toolWith(schema).inputJsonSchema).toMatchObject(expected);
  });

  test('a Map that holds itself is written as far as it can be', () => {
    const folder = z.object({
      name: z.string(),
      get inner() {
        return z.map(z.string(), folder);
      },
    });
    expect(toolWith(folder).inputJsonSchema).toMatchObject({
      properties: {
        name: { type: 'string' },
        inner: { 'x-javascript-type': 'Map', additionalProperties: {} },
      },
    });
  });

  test('a Map of what refers to itself holds anything', () => {
    const node = z.object({
      get next() {
        return node.optional();
      },
    });
    const schema = z.map(z.string(), node);
    expect(toolWith(schema).inputJsonSchema).toMatchObject({
      'x-javascript-type': 'Map',
      propertyNames: { type: 'string' },
      additionalProperties: {},
    });
  });

  test.each<[string, StandardSchemaWithJson, RegExp]>([
    ['a function', z.object({ f: z.function() }), /Function types .*, at \/properties\/f$/],
    ['a symbol', z.symbol(), /[Ss]ymbol/],
    ['a test of its own', z.custom(() => true), /[Cc]ustom/],
    ['a class that does not cross', z.instanceof(AbortSignal), /[Cc]ustom/],
    ['a promise of Valibot', toStandardJsonSchema(v.promise()), /promise/],
    ["ArkType's symbol", type('symbol'), /domain/],
    [
      'no JSON Schema',
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JavaScript may bring
      v.object({ a: v.string() }) as unknown as StandardSchemaWithJson,
      /wrap it in toStandardJsonSchema/,
    ],
  ])('with %s is refused when it is registered', (_what, schema, message) => {
    expect(() => toolWith(schema)).toThrow(
      expect.objectContaining({
        code: 'INVALID_SCHEMA',
        path: 'inputSchema',
        message: expect.stringMatching(message),
      }),
    );
  });

  test('an output that only code can tell is refused', () => {
    expect(() => toolWith(z.string(), z.string().transform(Number))).toThrow(
      expect.objectContaining({ code: 'INVALID_SCHEMA', path: 'outputSchema' }),
    );
  });
});
