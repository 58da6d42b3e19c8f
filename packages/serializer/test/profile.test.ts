import { serialize } from '@glovebox/serializer';
import { expect, test } from 'vitest';

import { errorOf } from './fixtures/error-of.ts';

const profile = 'python';

test.each<[value: unknown, json: string]>([
  [Number.NaN, 'NaN'],
  [Infinity, 'Infinity'],
  [-Infinity, '-Infinity'],
  [-0, '-0.0'],
  [0, '0'],
  [1.5, '1.5'],
  [2 ** 53 - 1, '9007199254740991'],
  [1 - 2 ** 53, '-9007199254740991'],
  // Digits alone would be read as an integer.
  [2 ** 53, '9007199254740992.0'],
  [-(2 ** 53), '-9007199254740992.0'],
  [999999999999999900000, '999999999999999900000.0'],
  [-999999999999999900000, '-999999999999999900000.0'],
  // These have an exponent already.
  [1e21, '1e+21'],
  [-1e21, '-1e+21'],
  [10n, '10'],
  [-(10n ** 20n), '-100000000000000000000'],
  [10n ** 4299n, `1${'0'.repeat(4299)}`],
  [-(10n ** 4299n), `-1${'0'.repeat(4299)}`],
])('%s is written for Python', (value, json) => {
  expect(serialize(value, { profile })).toBe(`safe:${json}`);
});

test.each<[what: string, value: unknown]>([
  ['undefined', undefined],
  ['an integer of more than 4300 digits', 10n ** 4300n],
  ['an integer of more than 4300 digits', -(10n ** 4300n)],
  ['an array with holes', Array(2)],
  ['a RegExp', /a/],
  ['an Error', new Error('x')],
  ['a URL', new URL('http://a/')],
  ['a boxed primitive', Object(1)],
])('%s is refused', (what, value) => {
  expect(errorOf(() => serialize([value], { profile })).message).toBe(
    `Cannot carry ${what} in the Python profile (at [0])`,
  );
});

test('a cycle is refused where Python would see it', () => {
  const cycle: unknown[] = [];
  cycle.push({ cycle });
  expect(errorOf(() => serialize(cycle, { profile }))).toMatchObject({
    code: 'CYCLE',
    path: '[0].cycle',
    value: cycle,
  });
});
