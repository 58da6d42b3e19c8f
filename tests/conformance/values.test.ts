import { isTuple, tuple } from '@glovebox/serializer';
import { expect, test } from 'vitest';

import { describeEachPool, errorOf, valueOf } from '../support/pools.ts';

describeEachPool('values', (executor) => {
  const values: Record<string, unknown> = {
    undefined,
    null: null,
    true: true,
    'a number': 1.5,
    'minus zero': -0,
    NaN: Number.NaN,
    'minus infinity': -Infinity,
    'a text': 'a\u0000b',
    'a lone surrogate': '\uD800',
    'a bigint': -(2n ** 80n),
    'an array': [1, [2, 'three']],
    'an object': { a: { b: null } },
    'an object with a __type__': { __type__: 'bytes', data: 'AAAA' },
    'a date': new Date('2024-02-29T12:34:56.789Z'),
    'a map': new Map<unknown, unknown>([
      ['a', 1],
      [{ k: 1 }, new Date(0)],
    ]),
    'a set': new Set([1, 'a', 2n]),
    bytes: new Uint8Array([0, 127, 255]),
    'a Float64Array': new Float64Array([0.1, -0, Number.NaN]),
    'a BigInt64Array': new BigInt64Array([-1n, 2n ** 62n]),
    'an ArrayBuffer': new Uint8Array([1, 2, 3]).buffer,
    'a RegExp': /a+b/giu,
  };

  test.each(Object.entries(values))('%s goes in and comes back', async (_name, value) => {
    const outcome = await executor().run({ code: 'return value', variables: { value } });
    expect(valueOf(outcome)).toStrictEqual(value);
  });

  test('a tuple stays a tuple', async () => {
    const variables = { pair: tuple(1, 'a') };
    const value = valueOf(await executor().run({ code: 'return [pair, pair.length]', variables }));
    expect(value).toStrictEqual([tuple(1, 'a'), 2]);
    expect(isTuple((value as unknown[])[0])).toBe(true);
  });

  test('a Buffer comes back as a Buffer', async () => {
    const variables = { bytes: Buffer.from('glovebox') };
    const value = valueOf(await executor().run({ code: 'return bytes', variables }));
    expect(Buffer.isBuffer(value)).toBe(true);
    expect(String(value)).toBe('glovebox');
  });

  test('values made in the guest are exact', async () => {
    const code = `return {
      when: new Date(86400000),
      byName: new Map([['a', new Uint8Array([1, 2])]]),
      big: 2n ** 64n,
    }`;
    expect(valueOf(await executor().run({ code }))).toStrictEqual({
      when: new Date(86_400_000),
      byName: new Map([['a', new Uint8Array([1, 2])]]),
      big: 2n ** 64n,
    });
  });

  test.each([
    ['a function', 'return { rows: [1, () => 2] }', '.rows[1]'],
    ['a symbol', 'return [Symbol("s")]', '[0]'],
    ['a promise', 'return { later: Promise.resolve(1) }', '.later'],
    ['a class instance', 'class A {} return new Map([["key", new A()]])', '.get("key")'],
    ['a weak map', 'return { deep: { map: new WeakMap() } }', '.deep.map'],
  ])('%s cannot cross, and its place is told', async (_name, code, path) => {
    const error = errorOf(await executor().run({ code }));
    expect(error).toMatchObject({ code: 'UNSERIALIZABLE_RESULT', path, ran: 'yes' });
  });

  test('a result over its limit is told with both numbers', async () => {
    const outcome = await executor().run({
      code: 'return "x".repeat(2000)',
      limits: { resultBytes: 1000 },
    });
    const error = errorOf(outcome);
    expect(error).toMatchObject({ code: 'RESULT_LIMIT', limit: 1000 });
    expect(error.used).toBeGreaterThan(1000);
  });

  test('a guest cannot forge its result through what it inherits', async () => {
    const code = `
      const result = { list: [1, 'two'], map: new Map([[1, 2]]) };
      Object.prototype.toJSON = () => 'FORGED';
      Array.prototype.toJSON = () => 'FORGED';
      String.prototype.toJSON = () => 'FORGED';
      JSON.stringify = () => '"FORGED"';
      Array.prototype[Symbol.iterator] = function* () { yield 'FORGED'; };
      Promise.prototype.then = (resolve) => resolve('FORGED');
      Map.prototype.forEach = () => 'FORGED';
      Object.defineProperty(Object.prototype, '0', { set() { throw new Error('set'); } });
      return result;
    `;
    const value = valueOf(await executor().run({ code }));
    expect(value).toStrictEqual({ list: [1, 'two'], map: new Map([[1, 2]]) });
  });

  test('keys that name prototypes pollute nothing', async () => {
    const code = 'return JSON.parse(`{"__proto__": {"polluted": 1}, "constructor": 2}`)';
    const value = valueOf(await executor().run<object>({ code }));
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
