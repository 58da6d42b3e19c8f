import { ToolRegistry } from '@glovebox/core';
import type { JsonSchema, RegisteredTool } from '@glovebox/core';
import { describe, expect, test } from 'vitest';

const execute = (): void => undefined;

function toolWith(inputSchema: JsonSchema, outputSchema: JsonSchema = {}): RegisteredTool {
  return new ToolRegistry().register({ name: 'a', inputSchema, outputSchema, execute });
}

/** Each fault as `keyword path`. */
async function faultsOf(schema: JsonSchema, value: unknown): Promise<string[]> {
  const validation = await toolWith(schema).validateInput(value);
  return validation.ok ? [] : validation.faults.map(({ keyword, path }) => `${keyword} ${path}`);
}

const user = {
  type: 'object',
  required: ['user'],
  properties: {
    user: {
      type: 'object',
      required: ['email'],
      properties: { email: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
    },
  },
};
const nested = { $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } } } } };

describe('a JSON Schema', () => {
  test.each<[string, JsonSchema, unknown, string[]]>([
    ['a text', { type: 'string' }, 'a', []],
    ['no text', { type: 'string' }, 1, ['type /']],
    ['an integer', { type: 'integer' }, 2, []],
    ['a fraction for an integer', { type: 'integer' }, 2.5, ['type /']],
    ['true for an integer', { type: 'integer' }, true, ['type /']],
    ['true for a number', { type: 'number' }, true, ['type /']],
    ['an integer for a number', { type: 'number' }, 2, []],
    ['a fraction for a number', { type: 'number' }, 2.5, []],
    ['NaN for a number', { type: 'number' }, Number.NaN, ['type /']],
    ['digits for a number', { type: 'number' }, '2', ['type /']],
    ['a boolean', { type: 'boolean' }, false, []],
    ['null', { type: 'null' }, null, []],
    ['undefined for null', { type: 'null' }, undefined, ['type /']],
    ['a list for an object', { type: 'object' }, [], ['type /']],
    ['a text that is too short', { minLength: 2 }, 'a', ['minLength /']],
    ['a text that is too long', { maxLength: 2 }, 'abc', ['maxLength /']],
    ['a text by code points', { maxLength: 2 }, '😀😀', []],
    ['a text against a pattern', { pattern: '^a+$' }, 'ab', ['pattern /']],
    ['a value of an enum', { enum: ['a', 1] }, 1, []],
    ['a value that is not in the enum', { enum: ['a', 1] }, '1', ['enum /']],
    ['a property that is missing', { required: ['id'] }, {}, ['required /id']],
    ['two that are missing', { required: ['a', 'b'] }, {}, ['required /a', 'required /b']],
    ['one missing deep inside', user, { user: {} }, ['required /user/email']],
    ['one wrong deep inside', user, { user: { email: 1 } }, ['type /user/email']],
    [
      'one behind an anchor',
      {
        $defs: { n: { $anchor: 'number', type: 'number' } },
        properties: { a: { $ref: '#number' } },
      },
      { a: '1' },
      ['type /a'],
    ],
    ['an item', { items: { type: 'string' } }, ['a', 1], ['type /1']],
    ['a key with a slash', { required: ['a/b~c'] }, {}, ['required /a~1b~0c']],
    ['a property that nobody named', { properties: {} }, { more: 1 }, []],
    [
      'one that is forbidden',
      { additionalProperties: false },
      { b: 1 },
      ['additionalProperties /b'],
    ],
    [
      'one that no part knows',
      { unevaluatedProperties: false },
      { b: 1 },
      ['unevaluatedProperties /b'],
    ],
    ['what is only inherited', { required: ['toString'] }, {}, ['required /toString']],
    ['a value of no alternative', { oneOf: [{ type: 'null' }] }, 1, ['type /', 'oneOf /']],
    ['a tuple', { prefixItems: [{ type: 'string' }] }, [1], ['type /0']],
    [
      'what refers to itself',
      { ...nested, $ref: '#/$defs/n' },
      { next: { next: 1 } },
      ['type /next/next'],
    ],
    ['a format', { format: 'date-time' }, 'today', ['format /']],
  ])('tells of %s', async (_what, schema, value, faults) => {
    expect(await faultsOf(schema, value)).toEqual(faults);
  });

  test('the value stays as it is: no default, nothing converted, nothing taken out', async () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer', default: 1 }, s: { type: 'string' } },
    };
    const value = { s: 'a', more: true };
    const validation = await toolWith(schema).validateInput(value);
    expect(validation).toEqual({ ok: true, value: { s: 'a', more: true } });
    expect(validation.ok && validation.value).toBe(value);
  });

  test.each<[string, unknown, unknown]>([
    ['undefined', undefined, null],
    ['bigint', 1n, 1],
    ['Date', new Date(0), '1970-01-01T00:00:00Z'],
    ['RegExp', /a/, 'a'],
    ['Map', new Map(), {}],
    ['Set', new Set(), []],
    ['Error', new TypeError('a'), { name: 'TypeError', message: 'a' }],
    ['ArrayBuffer', new ArrayBuffer(1), new Uint8Array(1)],
    ['DataView', new DataView(new ArrayBuffer(1)), new ArrayBuffer(1)],
    ['Uint8Array', new Uint8Array(1), [1]],
    ['Uint8Array', Buffer.from('a'), new Uint8ClampedArray(1)],
    ['Float64Array', new Float64Array(1), { [Symbol.toStringTag]: 'Float64Array' }],
    ['URL', new URL('https://example.com'), 'https://example.com'],
  ])('x-javascript-type %s is that type and no other', async (type, good, bad) => {
    const schema = { type: 'object', properties: { it: { 'x-javascript-type': type } } };
    expect(await faultsOf(schema, { it: good })).toEqual([]);
    expect(await faultsOf(schema, { it: bad })).toEqual(['x-javascript-type /it']);
  });

  test('a message says what is wrong', async () => {
    const schema = { properties: { n: { type: 'integer' }, d: { 'x-javascript-type': 'Date' } } };
    expect(await toolWith(schema).validateInput({ n: 'x', d: 1 })).toEqual({
      ok: false,
      faults: [
        { path: '/n', keyword: 'type', message: 'must be integer' },
        { path: '/d', keyword: 'x-javascript-type', message: 'must be of type Date' },
      ],
    });
  });

  test('a value with a million faults has its first 50 told', async () => {
    const faults = await faultsOf(
      { items: { type: 'string' } },
      Array.from({ length: 1_000_000 }, () => 1),
    );
    expect(faults).toHaveLength(50);
    expect(faults.at(-1)).toBe('type /49');
  });

  test('a path of a million characters is cut', async () => {
    const faults = await faultsOf({ additionalProperties: false }, { ['k'.repeat(1_000_000)]: 1 });
    expect(faults).toEqual([`additionalProperties /${'k'.repeat(498)}…`]);
  });

  test.each(['date-time', 'email', 'uri', 'uri-reference', 'url', 'hostname', 'ipv6', 'regex'])(
    'no text makes the check of the format %s endless',
    async (format) => {
      for (const part of [':', 'a.', 'a@', '%61', '(', '/']) {
        const text = `http://${part.repeat(1_000_000 / part.length)}!`;
        // Whether it fits is the library's word; that there is an answer is what counts.
        expect(['', 'format /']).toContain((await faultsOf({ format }, text)).join(''));
      }
    },
  );

  test.each([
    ['https://example.com/a?b#c', []],
    ['FTP://example.com', []],
    ['mailto:a@example.com', ['format /']],
    ['example.com', ['format /']],
  ])('%s as a url', async (text, faults) => {
    expect(await faultsOf({ format: 'url' }, text)).toEqual(faults);
  });

  test('output is checked on its own', async () => {
    const tool = toolWith({ type: 'string' }, { type: 'number' });
    expect(tool.outputJsonSchema).toEqual({ type: 'number' });
    expect(await tool.validateOutput(1)).toEqual({ ok: true, value: 1 });
    expect(await tool.validateOutput('a')).toMatchObject({ ok: false, faults: [{ path: '/' }] });
  });

  test('draft-07 is read where $schema says so', async () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      items: [{ type: 'string' }, { $ref: '#/definitions/n' }],
      definitions: { n: { type: 'number' } },
    };
    expect(await faultsOf(schema, [1, 'a'])).toEqual(['type /0', 'type /1']);
  });

  test('two tools may have schemas of one $id', async () => {
    const schemas = ['string', 'number'].map((type) => ({
      $id: 'https://example.com/s',
      $defs: { n: { $id: 'n', type } },
      $ref: 'n',
    }));
    const faults = await Promise.all(schemas.map((schema) => faultsOf(schema, 1)));
    expect(faults).toEqual([['type /'], []]);
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ['an unknown type', { type: 'tuple' }, /type/],
    ['an unknown keyword', { type: 'object', requird: ['a'] }, /unknown keyword: "requird"/],
    ['an unknown keyword deep inside', { items: { minimun: 1 } }, /unknown keyword: "minimun"/],
    ['an unknown format', { format: 'colour' }, /unknown format "colour"/],
    ['an unknown draft', { $schema: 'http://json-schema.org/draft-04/schema#' }, /draft 2020-12/],
    ['a keyword of the wrong type', { minLength: 'two' }, /minLength/],
    ['a pattern that is none', { pattern: '(' }, /regular expression/i],
    ['a reference to nowhere', { $ref: '#/$defs/none' }, /can't resolve reference/],
    [
      'the $id of a draft',
      { $id: 'https://json-schema.org/draft/2020-12/schema' },
      /already exists/,
    ],
    ['a reference to elsewhere', { $ref: 'https://example.com/s.json' }, /can't resolve reference/],
    [
      'a reference to itself alone',
      { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
      /stack/,
    ],
    ['a promise', { $async: true, type: 'string' }, /async/],
    ['a function inside', { default: () => 1 }, /could not be cloned/],
    ['a JavaScript type that does not pass', { 'x-javascript-type': 'Promise' }, /allowed values/],
  ])('with %s is refused when it is registered', (_what, inputSchema, message) => {
    expect(() => toolWith(inputSchema)).toThrow(
      expect.objectContaining({
        code: 'INVALID_SCHEMA',
        path: 'inputSchema',
        message: expect.stringMatching(message),
      }),
    );
  });
});
