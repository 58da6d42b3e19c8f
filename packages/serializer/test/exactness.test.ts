import * as api from '@glovebox/serializer';
import { describe, expect, test } from 'vitest';

import { makeCorpus } from './fixtures/corpus.ts';
import { expectSame } from './fixtures/same.ts';

const { deserialize, serialize } = api;
const hostOnly = {
  Buffer: Buffer.from('buffer'),
  'empty Buffer': Buffer.alloc(0),
  URL: new URL('https://user@example.com:8080/a b?c=d#e'),
};
const corpus = Object.entries({ ...makeCorpus(api), ...hostOnly });

describe.each([
  ['by default', {}],
  ['thoroughly', { thorough: true }],
  ['with references', { references: 'preserve' }],
] as const)('%s', (_, options) => {
  test.each(corpus)('%s comes back as it went', (_name, value) => {
    expectSame(deserialize(serialize(value, options), options), value);
  });

  test.each(corpus)('%s comes back within others', (_name, value) => {
    const holder = { list: [0, value], map: new Map([['key', value]]), set: new Set([{ value }]) };
    expectSame(deserialize(serialize(holder, options), options), holder);
  });

  test.each(corpus)('%s gives the same text on the second trip', (_name, value) => {
    const text = serialize(value, options);
    expect(serialize(deserialize(text, options), options)).toBe(text);
  });
});

test.each(corpus)('%s has the same text by both ways of writing', (_name, value) => {
  expect(serialize(value)).toBe(serialize(value, { thorough: true }));
});

test('the instance writes and reads under both pairs of names', () => {
  const serializer = new api.SafeSerializer();
  const text = serializer.serialize({ at: new Date(0) });
  expect(serializer.dumps({ at: new Date(0) })).toBe(text);
  expect(serializer.deserialize(text)).toEqual({ at: new Date(0) });
  expect(serializer.loads(text)).toEqual({ at: new Date(0) });
});

test('own keys keep what they are and pollute no prototype', () => {
  const read = deserialize<object>(
    'safe:{"__proto__":{"polluted":1},"a":[{"__type__":"undefined"}]}',
  );
  expect(Object.keys(read)).toEqual(['__proto__', 'a']);
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  expect('polluted' in {}).toBe(false);
});

test('a decoded error has no stack where none was sent', () => {
  const read = deserialize<Error>('safe:{"__type__":"error","class":"Error","message":"m"}');
  expect(read).toBeInstanceOf(Error);
  expect(Object.hasOwn(read, 'stack')).toBe(false);
});

test('errors go without their stacks on request', () => {
  const text = serialize(new Error('secret place'), { errorStacks: false });
  expect(text).toBe('safe:{"__type__":"error","class":"Error","message":"secret place"}');
});

test('an error of a class of the caller becomes the nearest of the language, with its name', () => {
  class HttpError extends RangeError {
    override name = 'HttpError';
    status = 404;
    get code(): string {
      return 'E_HTTP';
    }
  }
  const read = deserialize<HttpError>(serialize(new HttpError('gone')));
  expect(Object.getPrototypeOf(read)).toBe(RangeError.prototype);
  expect(read).toMatchObject({ name: 'HttpError', message: 'gone', status: 404, code: 'E_HTTP' });
});

test('a DOMException keeps name, message and code', () => {
  const read = deserialize<Error>(serialize(new DOMException('stopped', 'AbortError')));
  expect(read).toMatchObject({ name: 'AbortError', message: 'stopped', code: 20 });
});

test('a RegExp of a large lastIndex keeps it', () => {
  const pattern = /x/g;
  pattern.lastIndex = 2 ** 40;
  expect(deserialize<RegExp>(serialize(pattern)).lastIndex).toBe(2 ** 40);
});

test('an error may be its own cause', () => {
  const error = new Error('round');
  error.cause = error;
  for (const references of ['duplicate', 'preserve'] as const) {
    const read = deserialize<Error>(serialize(error, { references }), { references });
    expect(read.cause).toBe(read);
    expect(read.message).toBe('round');
  }
});
