import { SafeSerializer } from '@glovebox/serializer';
import { expect, test } from 'vitest';
import { z } from 'zod';

import { errorOf } from './fixtures/error-of.ts';

class Money {
  amount: bigint;
  at: Date;
  constructor(amount: bigint, at: Date) {
    this.amount = amount;
    this.at = at;
  }
}
const money = {
  name: 'Money',
  class: Money,
  serialize: ({ amount, at }: Money) => ({ amount, at }),
  deserialize: ({ amount, at }: { amount: bigint; at: Date }) => new Money(amount, at),
};

test('what a custom type gives is encoded in its turn', () => {
  const serializer = new SafeSerializer().register(money);
  const value = [new Money(2n ** 70n, new Date(5)), { total: new Money(1n, new Date(Number.NaN)) }];
  const text = serializer.serialize(value);
  expect(text).toContain('{"__type__":"Money","data":{"amount":{"__type__":"bigint"');
  expect(serializer.deserialize(text)).toEqual(value);
});

test('a class stands for its own instances alone', () => {
  class Price extends Money {}
  const serializer = new SafeSerializer().register(money);
  expect(errorOf(() => serializer.serialize(new Price(1n, new Date()))).code).toBe(
    'UNSUPPORTED_TYPE',
  );
});

test('the first type that is for a value takes it, before what is built in', () => {
  const asked: unknown[] = [];
  const serializer = new SafeSerializer()
    .register({
      name: 'never',
      isApplicable: (value) => {
        asked.push(value);
        return false;
      },
      serialize: () => 0,
      deserialize: () => ({}),
    })
    .register({
      name: 'day',
      isApplicable: (value) => value instanceof Date,
      serialize: (date: Date) => date.toISOString().slice(0, 10),
      deserialize: (text: string) => new Date(text),
    })
    .register({ ...money, name: 'second' });
  const date = new Date('2024-01-02T03:04:05Z');
  expect(serializer.serialize([1, 'a', null, {}, [], date])).toBe(
    'safe:[1,"a",null,{},[],{"__type__":"day","data":"2024-01-02"}]',
  );
  expect(serializer.deserialize(serializer.serialize(date))).toEqual(new Date('2024-01-02'));
  expect(serializer.serialize(new Money(1n, date))).toContain('"second"');
  // Neither scalars nor plain objects nor arrays are asked about.
  expect(asked.every((value) => value instanceof Date || value instanceof Money)).toBe(true);
});

test('a subclass of Array and an object without prototype may have a type', () => {
  class List extends Array<number> {}
  const serializer = new SafeSerializer().register({
    name: 'List',
    class: List,
    serialize: (list) => [...list],
    deserialize: (items) => List.from(items) as List,
  });
  const read = serializer.deserialize<List[]>(serializer.serialize([List.from([1, 2])]));
  expect(read[0]).toBeInstanceOf(List);
  expect([...(read[0] ?? [])]).toEqual([1, 2]);
});

test('a codec of zod is a conversion', () => {
  const codec = z.codec(z.object({ text: z.string() }), z.instanceof(URL), {
    decode: ({ text }) => new URL(text),
    encode: (url) => ({ text: url.href }),
  });
  const serializer = new SafeSerializer().register({ name: 'link', class: URL, codec });
  const text = serializer.serialize([new URL('http://a/b')]);
  expect(text).toBe('safe:[{"__type__":"link","data":{"text":"http://a/b"}}]');
  expect(serializer.deserialize(text)).toEqual([new URL('http://a/b')]);
  const error = errorOf(() =>
    serializer.deserialize('safe:[{"__type__":"link","data":{"text":1}}]'),
  );
  expect(error).toMatchObject({ code: 'MALFORMED', path: '[0]' });
  expect(error.cause).toBeInstanceOf(z.ZodError);
});

test('what a conversion throws is the cause of an error with a path', () => {
  const boom = new RangeError('boom');
  const serializer = new SafeSerializer().register({
    ...money,
    serialize: () => {
      throw boom;
    },
    deserialize: () => {
      throw boom;
    },
  });
  const writing = errorOf(() => serializer.serialize({ a: [new Money(1n, new Date())] }));
  expect(writing).toMatchObject({ code: 'UNSUPPORTED_TYPE', path: '.a[0].data', cause: boom });
  const reading = errorOf(() =>
    serializer.deserialize('safe:{"a":[{"__type__":"Money","data":1}]}'),
  );
  expect(reading).toMatchObject({ code: 'MALFORMED', path: '.a[0]', cause: boom, value: 1 });
});

test('what a conversion gives must be encodable', () => {
  const serializer = new SafeSerializer().register({
    ...money,
    serialize: () => (() => 1) as never,
  });
  expect(errorOf(() => serializer.serialize(new Money(1n, new Date())))).toMatchObject({
    code: 'UNSUPPORTED_TYPE',
    path: '.data',
  });
});

test.each<[name: unknown, reason: string]>([
  ['', 'a name that is empty'],
  [1, 'a name that is no text'],
  ['set', 'a built-in tag'],
  ['error', 'a built-in tag'],
  ['undefined', 'a built-in tag'],
  ['graph', 'a built-in tag'],
  ['Money', 'a name that is taken'],
])('the name %j is refused: %s', (name) => {
  const serializer = new SafeSerializer().register(money);
  expect(errorOf(() => serializer.register({ ...money, name: name as string })).code).toBe(
    'UNSUPPORTED_TYPE',
  );
});

test('a type without a class or a test is refused', () => {
  const { serialize, deserialize } = money;
  const type = { name: 'x', isApplicable: undefined, serialize, deserialize };
  expect(errorOf(() => new SafeSerializer().register(type as never)).code).toBe('UNSUPPORTED_TYPE');
});

test('types with the names of inherited properties are types like others', () => {
  const serializer = new SafeSerializer().register({ ...money, name: '__proto__' });
  const text = serializer.serialize(new Money(1n, new Date(0)));
  expect(serializer.deserialize(text)).toBeInstanceOf(Money);
});

test('types belong to their serializer, and stay out of the Python profile', () => {
  const text = new SafeSerializer().register(money).serialize(new Money(1n, new Date(0)));
  expect(errorOf(() => new SafeSerializer().deserialize(text)).code).toBe('UNKNOWN_TAG');
  const python = new SafeSerializer({ profile: 'python' }).register(money);
  expect(errorOf(() => python.serialize(new Money(1n, new Date(0)))).message).toContain('Money');
});

test('a type takes part in a graph', () => {
  const serializer = new SafeSerializer({ references: 'preserve' }).register(money);
  const value = new Money(1n, new Date(0));
  const read = serializer.deserialize<Money[]>(serializer.serialize([value, value]));
  expect(read[0]).toBe(read[1]);
});
