import { deserialize, SafeSerializer, serialize } from '@glovebox/serializer';
import * as pure from '@glovebox/serializer/safe';
import { Packr } from 'msgpackr';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { errorOf } from './fixtures/error-of.ts';

class Point {
  x = 1;
}
const allow = { allowUnsafe: true };
const pack = (value: unknown): string =>
  `unsafe:${new Packr({ useRecords: false }).pack(value).toString('base64')}`;

let warnings: unknown[][];
beforeEach(() => {
  warnings = [];
  vi.spyOn(process, 'emitWarning').mockImplementation((...args: unknown[]) => {
    warnings.push(args);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

test('is never written unless allowed and needed', () => {
  expect(errorOf(() => serialize(new Point())).code).toBe('UNSUPPORTED_TYPE');
  expect(serialize({ a: new Date(0) }, allow)).toBe(serialize({ a: new Date(0) }));
  expect(serialize([1], allow)).toBe('safe:[1]');
  expect(warnings).toEqual([]);
  expect(serialize(new Point(), allow)).toBe(pack({ x: 1 }));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]?.[1]).toMatchObject({ code: 'GLOVEBOX_UNSAFE' });
});

test('is read where allowed, with one warning each time', () => {
  const text = pack({ x: [1, 'a', null] });
  expect(deserialize(text, allow)).toEqual({ x: [1, 'a', null] });
  expect(new SafeSerializer(allow).deserialize(text)).toEqual({ x: [1, 'a', null] });
  expect(warnings).toHaveLength(2);
  expect(errorOf(() => deserialize(text)).code).toBe('UNSAFE_REJECTED');
  expect(errorOf(() => new SafeSerializer().deserialize(text)).code).toBe('UNSAFE_REJECTED');
  expect(warnings).toHaveLength(2);
});

test('is no way around a limit', () => {
  const limits = { maxDepth: 2, maxBytes: 100 };
  expect(errorOf(() => serialize([[[new Point()]]], { ...allow, limits })).code).toBe('LIMIT');
  expect(
    errorOf(() =>
      serialize(Object.assign(new Point(), { long: 'x'.repeat(200) }), { ...allow, limits }),
    ).limit,
  ).toBe('maxBytes');
  expect(errorOf(() => deserialize(pack('x'.repeat(200)), { ...allow, limits })).limit).toBe(
    'maxBytes',
  );
});

test('what MessagePack cannot carry is refused as well', () => {
  const ring: unknown[] = [new Point()];
  ring.push(ring);
  expect(errorOf(() => serialize(ring, allow)).code).toBe('UNSUPPORTED_TYPE');
  expect(
    errorOf(() => serialize(2n ** 80n, { ...allow, limits: { maxBigIntDigits: 5 } })).code,
  ).toBe('LIMIT');
});

test.each([
  ['no base64', 'unsafe:!'],
  ['nothing', 'unsafe:'],
  ['a text cut short', 'unsafe:2Q=='],
  ['a list of four thousand million', 'unsafe:3f////8='],
])('%s is malformed', (_name, text) => {
  expect(errorOf(() => deserialize(text, allow)).code).toBe('MALFORMED');
});

test('pickle is refused all the same', () => {
  expect(errorOf(() => deserialize('pickle:gASV', allow)).code).toBe('UNSAFE_REJECTED');
});

test('the pure entry has none of it', () => {
  expect(errorOf(() => pure.deserialize(pack(1))).code).toBe('UNSAFE_REJECTED');
  expect(() => new pure.SafeSerializer(allow)).toThrow(pure.SerializationError);
  expect(() => pure.serialize(1, allow)).toThrow(pure.SerializationError);
  expect(pure.deserialize(pure.serialize([new Date(0)]))).toEqual([new Date(0)]);
});
