import * as api from '@glovebox/serializer';
import { expect, test } from 'vitest';

import { errorOf } from './fixtures/error-of.ts';

test('a tuple is a frozen array that says what it is', () => {
  const made = api.tuple(1, 'a');
  expect(Array.isArray(made)).toBe(true);
  expect([...made]).toEqual([1, 'a']);
  expect(Object.isFrozen(made)).toBe(true);
  expect(api.isTuple(made)).toBe(true);
  for (const other of [[1], Object.freeze([1]), null, 1, {}, made.map((item) => item)])
    expect(api.isTuple(other)).toBe(false);
  expect(api.isTuple(made.slice())).toBe(false);
  expect(errorOf(() => api.serialize(Object.create(Object.getPrototypeOf(made)))).code).toBe(
    'UNSUPPORTED_TYPE',
  );
});

test('a FrozenSet is a Set that does not change', () => {
  const set = new api.FrozenSet(['a', 'b']);
  expect(set).toBeInstanceOf(Set);
  expect([...set]).toEqual(['a', 'b']);
  expect(set.has('a')).toBe(true);
  expect(new api.FrozenSet().size).toBe(0);
  for (const change of [() => set.add(), () => set.delete(), () => set.clear()])
    expect(change).toThrow(TypeError);
  expect(set.size).toBe(2);
  const fake = Object.setPrototypeOf(new Set(), api.FrozenSet.prototype) as object;
  expect(errorOf(() => api.serialize(fake)).code).toBe('UNSUPPORTED_TYPE');
});

test('numbers', () => {
  const complex = new api.Complex(1, -2);
  expect([complex.real, complex.imag, String(complex), String(new api.Complex(0, 1))]).toEqual([
    1,
    -2,
    '1-2j',
    '0+1j',
  ]);
  const decimal = new api.Decimal('1.10');
  expect([String(decimal), decimal.toNumber()]).toEqual(['1.10', 1.1]);
  for (const text of ['1', '-1', '.5', '5.', '1E+2', '1e-7', 'NaN', '-Infinity', 'sNaN12', '0'])
    expect(String(new api.Decimal(text))).toBe(text);
});

test('days and times', () => {
  const day = new api.CalendarDate('2024-02-29');
  expect([day.year, day.month, day.day, String(day)]).toEqual([2024, 2, 29, '2024-02-29']);
  const time = new api.WallTime('03:04:05.678901+05:30');
  expect([time.hour, time.minute, time.second, time.microsecond, String(time)]).toEqual([
    3,
    4,
    5,
    678_901,
    '03:04:05.678901+05:30',
  ]);
  expect(new api.WallTime('03:04:05').microsecond).toBe(0);
  const span = new api.TimeDelta(1.5);
  expect([span.totalSeconds, span.totalMilliseconds]).toEqual([1.5, 1500]);
});

test('a DateTime knows whether it names an instant, and which', () => {
  const naive = new api.DateTime('2024-01-02T03:04:05');
  expect(naive.isNaive).toBe(true);
  expect(naive.toDate()).toEqual(new Date('2024-01-02T03:04:05Z'));
  expect(naive.toDate(3600)).toEqual(new Date('2024-01-02T02:04:05Z'));
  const aware = new api.DateTime('2024-01-02T03:04:05.678901-05:30');
  expect(aware.isNaive).toBe(false);
  expect(aware.toDate(7)).toEqual(new Date('2024-01-02T08:34:05.678Z'));
  expect(String(aware)).toBe('2024-01-02T03:04:05.678901-05:30');
  expect(new api.DateTime('2024-01-02T00:00:00+00:00:01.000002').toDate().getTime()).toBe(
    Date.UTC(2024, 0, 2) - 1001,
  );
});

test('an NdArray knows its shape', () => {
  const array = new api.NdArray(
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
    'int32',
  );
  expect([array.dtype, array.shape, array.data]).toEqual([
    'int32',
    [2, 3],
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
  ]);
  expect(new api.NdArray(1, 'int32').shape).toEqual([]);
  expect(new api.NdArray([[], []], 'int32').shape).toEqual([2, 0]);
});

test('what arrives as text alone', () => {
  const person = new api.Dataclass('Person', 'models', { name: 'A' });
  expect([person.className, person.module, person.fields]).toEqual([
    'Person',
    'models',
    { name: 'A' },
  ]);
  expect(String(new api.FilePath('/a'))).toBe('/a');
  expect(new api.PngImage(new Uint8Array(1)).png).toEqual(new Uint8Array(1));
  expect(errorOf(() => api.serialize(new api.PngImage([] as never))).code).toBe('UNSUPPORTED_TYPE');
});

test.each<[name: string, make: () => unknown]>([
  ['Complex', () => new api.Complex('1' as never, 2)],
  ['Complex', () => new api.Complex(1, null as never)],
  ['Decimal', () => new api.Decimal('x')],
  ['Decimal', () => new api.Decimal(1 as never)],
  ['FilePath', () => new api.FilePath(1 as never)],
  ['CalendarDate', () => new api.CalendarDate('2024-02-30')],
  ['CalendarDate', () => new api.CalendarDate('2024-02-29T')],
  ['CalendarDate', () => new api.CalendarDate(1 as never)],
  ['WallTime', () => new api.WallTime('24:00:00')],
  ['WallTime', () => new api.WallTime(1 as never)],
  ['TimeDelta', () => new api.TimeDelta(Infinity)],
  ['TimeDelta', () => new api.TimeDelta('1' as never)],
  ['DateTime that a Date holds', () => new api.DateTime('2024-01-02T03:04:05.678+00:00')],
  ['DateTime', () => new api.DateTime('2024')],
  ['DateTime', () => new api.DateTime(1 as never)],
  ['NdArray', () => new api.NdArray([], 1 as never)],
  ['Dataclass', () => new api.Dataclass(1 as never, 'm', {})],
  ['Dataclass', () => new api.Dataclass('A', 1 as never, {})],
])('no %s of what is none', (_name, make) => {
  expect(errorOf(make).code).toBe('MALFORMED');
});

test.each<[name: string, value: object]>([
  ['Complex', new api.Complex(1, 2)],
  ['Decimal', new api.Decimal('1')],
  ['FilePath', new api.FilePath('a')],
  ['CalendarDate', new api.CalendarDate('2024-01-01')],
  ['WallTime', new api.WallTime('00:00:00')],
  ['TimeDelta', new api.TimeDelta(1)],
  ['DateTime', new api.DateTime('2024-01-01T00:00:00')],
  ['NdArray', new api.NdArray([], 'int8')],
  ['Dataclass', new api.Dataclass('A', 'm', {})],
  ['PngImage', new api.PngImage(new Uint8Array())],
])('a %s is frozen, and what only looks like one is refused', (_name, value) => {
  expect(Object.isFrozen(value)).toBe(true);
  const prototype = Object.getPrototypeOf(value) as object;
  expect(Object.isFrozen(prototype)).toBe(true);
  expect(errorOf(() => api.serialize([Object.create(prototype)]))).toMatchObject({
    code: 'UNSUPPORTED_TYPE',
    path: '[0]',
  });
});
