import { deserialize, serialize } from '@glovebox/serializer';
import type { SerializerOptions } from '@glovebox/serializer';
import { expect, test } from 'vitest';

import { errorOf } from './fixtures/error-of.ts';

/** Two keys, the first of which is gone when it is read again: only `JSON.stringify` then omits it. */
function probe(value: unknown): object {
  let reads = 0;
  return {
    get probe() {
      return reads++ === 0 ? 1 : undefined;
    },
    value,
  };
}

function takesShortCut(value: unknown, options?: SerializerOptions): boolean {
  const text = serialize(probe(value), options);
  expect(text).toContain('"value":');
  return !text.includes('"probe"');
}

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value = wrap(0);
  for (let level = 1; level < depth; level++) value = wrap(value);
  return value;
}

const plain: [name: string, value: unknown][] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['an empty string', ''],
  ['a string', 'text'],
  ['zero', 0],
  ['a number', -1.5],
  ['an empty array', []],
  ['an empty object', {}],
  ['an array of one', [1]],
  ['an array of all', [null, true, '', 0, -1, [], {}, [1], { a: 1 }]],
  ['an object of one', { a: 1 }],
  ['an object of all', { a: null, b: true, c: '', d: 0, e: -1, f: [], g: {}, h: [1], i: { a: 1 } }],
  ['a long array', Array.from({ length: 100 }, (_, n) => n)],
  ['deep arrays', nested(498, (inner) => [inner])],
  ['deep objects', nested(498, (inner) => ({ inner }))],
];

const dated: [name: string, value: unknown][] = [
  ['a Date', new Date(1_700_000_000_123)],
  ['Dates in an array', [1, new Date(0), 'a', new Date(1)]],
  ['Dates in an object', { a: 1, b: new Date(0), c: [new Date(2)], d: { e: new Date(3), f: 4 } }],
];

test.each(dated)('%s takes the short cut, as a tag', (_name, value) => {
  expect(takesShortCut(value)).toBe(true);
  const text = serialize(value);
  expect(text).toBe(serialize(value, { thorough: true }));
  expect(deserialize(text)).toStrictEqual(value);
});

test('an object with a key __proto__ leaves the short cut, and is exact', () => {
  const value = JSON.parse('{"__proto__": 1, "a": 2}', (key, held: unknown) =>
    key === '__proto__' ? new Date(4) : held,
  ) as object;
  expect(takesShortCut(value)).toBe(false);
  const text = serialize(value);
  expect(text).toBe(
    'safe:{"__proto__":{"__type__":"datetime","data":"1970-01-01T00:00:00.004+00:00"},"a":2}',
  );
  expect(deserialize(text)).toStrictEqual(value);
});

test.each<[name: string, value: object]>([
  ['a Date with a property', Object.assign(new Date(0), { a: 1 })],
  ['a Date of a subclass', new (class extends Date {})(0)],
  ['a Proxy of a Date', new Proxy(new Date(0), {})],
  ['what only looks like a Date', Object.create(Date.prototype) as object],
])('%s among dates is refused', (_name, value) => {
  expect(errorOf(() => serialize([new Date(0), { a: 1, value }]))).toMatchObject({
    code: 'UNSUPPORTED_TYPE',
    path: '[1].value',
  });
});

test('the value whose dates are written is left as it was', () => {
  const date = new Date(0);
  const value = { list: [1, date], date };
  serialize(value);
  expect(value).toStrictEqual({ list: [1, date], date });
  expect(value.date).toBe(date);
  expect(value.list[1]).toBe(date);
});

test.each(plain)('%s takes the short cut', (_name, value) => {
  expect(takesShortCut(value)).toBe(true);
  expect(takesShortCut([value])).toBe(true);
});

test('an array takes it as the root, too, be it short or long', () => {
  for (const length of [1, 2, 63, 64, 65, 100]) {
    const list = Array.from({ length }, () => probe(1));
    expect(serialize(list)).not.toContain('"probe"');
  }
});

test.each(plain)('%s is written alike as the root', (_name, value) => {
  const text = `safe:${JSON.stringify(value)}`;
  expect(serialize(value)).toBe(text);
  expect(serialize(value, { thorough: true })).toBe(text);
});

test.each<[name: string, value: unknown]>([
  ['undefined', undefined],
  ['NaN', Number.NaN],
  ['Infinity', Infinity],
  ['negative zero', -0],
  ['a BigInt', 1n],
  ['an invalid Date', new Date(Number.NaN)],
  ['a Date beyond the years of Python', new Date(8.64e15)],
  ['a Map', new Map()],
  ['an object without prototype', Object.assign(Object.create(null) as object, { a: 1, b: 2 })],
  ['a tag', { a: 1, __type__: 'set' }],
  ['the key of a tag', { __type__: 1 }],
])('%s does not', (_name, value) => {
  for (const inner of [value, [value], { a: value }, [1, value, 2], { a: 1, b: value, c: 2 }]) {
    expect(takesShortCut(inner)).toBe(false);
    expect(serialize([inner])).toBe(serialize([inner], { thorough: true }));
  }
});

test('a symbol, a hidden property and an element by name are refused where they are looked for', () => {
  const symbol = { [Symbol('s')]: 1 };
  const hidden = Object.defineProperty({}, 'hidden', { value: 1 });
  const named = Object.assign([1], { name: 1 });
  for (const value of [
    symbol,
    hidden,
    named,
    { ...symbol, a: 1 },
    Object.defineProperty({ a: 1 }, 'hidden', { value: 1 }),
    { a: 1, b: 2, ...symbol },
    Object.defineProperty({ a: 1, b: 2 }, 'hidden', { value: 1 }),
    [symbol],
    { a: hidden },
    { a: [{ ...symbol, a: 1 }] },
  ]) {
    expect(errorOf(() => serialize(value)).code).toBe('UNSUPPORTED_TYPE');
  }
});

test('the short cut has the limits of the long way', () => {
  const value = { a: ['xyz', 1, null], b: { c: true, d: 'é' } };
  // The probe and its two values, and all within.
  const nodes = 3 + 2 + 3 + 2;
  expect(takesShortCut(value, { limits: { maxNodes: nodes } })).toBe(true);
  expect(errorOf(() => takesShortCut(value, { limits: { maxNodes: nodes - 1 } })).limit).toBe(
    'maxNodes',
  );
  expect(takesShortCut(value, { limits: { maxDepth: 3 } })).toBe(true);
  expect(errorOf(() => takesShortCut(value, { limits: { maxDepth: 2 } })).limit).toBe('maxDepth');
  const mixed = (depth: number): unknown => nested(depth / 2, (inner) => ({ a: [inner] }));
  expect(takesShortCut(mixed(498))).toBe(true);
  expect(errorOf(() => serialize(mixed(502))).limit).toBe('maxDepth');
  for (const list of [[1, 2], { a: 1, b: 2 }]) {
    expect(serialize(list, { limits: { maxNodes: 3 } })).toBe(`safe:${JSON.stringify(list)}`);
    expect(errorOf(() => serialize(list, { limits: { maxNodes: 2 } })).limit).toBe('maxNodes');
  }
  for (const scalar of [1, 'x', true, null]) {
    expect(serialize(scalar, { limits: { maxNodes: 1 } })).toBe(`safe:${JSON.stringify(scalar)}`);
    expect(errorOf(() => serialize(scalar, { limits: { maxNodes: 0 } })).limit).toBe('maxNodes');
  }
});

test('text is not made of more characters than there may be bytes', () => {
  const long = 'x'.repeat(1000);
  for (const many of [
    Array.from({ length: 20 }, () => long),
    { a: long, b: [long], c: { long } },
  ]) {
    const { length } = `safe:${JSON.stringify(many)}`;
    expect(serialize(many, { limits: { maxBytes: length } })).toHaveLength(length);
    const error = errorOf(() => serialize(many, { limits: { maxBytes: 2000 } }));
    // The long way counts up to the string that is one too many, and no further.
    expect(error).toMatchObject({ limit: 'maxBytes', allowed: 2000 });
    expect(error.used).toBeLessThanOrEqual(3100);
  }
});
