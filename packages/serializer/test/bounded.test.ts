import { BoundedSerializer, serialize } from '@glovebox/serializer';
import { expect, test } from 'vitest';

import { errorOf } from './fixtures/error-of.ts';

const serializer = new BoundedSerializer();

test('each call has its own limit', () => {
  const text = serializer.serialize('x'.repeat(100), 1000);
  expect(text).toBe(serialize('x'.repeat(100)));
  expect(serializer.deserialize(text, 1000)).toBe('x'.repeat(100));
  const limit = { code: 'LIMIT', limit: 'maxBytes', allowed: 50 };
  expect(errorOf(() => serializer.serialize('x'.repeat(100), 50))).toMatchObject(limit);
  expect(errorOf(() => serializer.deserialize(text, 50))).toMatchObject(limit);
  // What failed has left nothing behind.
  expect(serializer.serialize('x'.repeat(100), 1000)).toBe(text);
});

test('a value that uses the serializer while it is written changes no limit', () => {
  const value = {
    get inner() {
      serializer.serialize(1, 10);
      serializer.deserialize('safe:1', 10);
      return 'y'.repeat(100);
    },
    map: new Map(),
  };
  expect(serializer.deserialize(serializer.serialize(value, 1000), 1000)).toStrictEqual({
    inner: 'y'.repeat(100),
    map: new Map(),
  });
});

test('the other options are those of the serializer', () => {
  const shared = { a: 1 };
  const preserving = new BoundedSerializer({ references: 'preserve', limits: { maxDepth: 5 } });
  const [one, other] = preserving.deserialize<object[]>(
    preserving.serialize([shared, shared], 1000),
    1000,
  );
  expect(one).toBe(other);
  expect(errorOf(() => preserving.serialize([[[[[[1]]]]]], 1000))).toMatchObject({
    code: 'LIMIT',
    limit: 'maxDepth',
  });
});

test.each([-1, 1.5, Number.NaN, Infinity, 2 ** 29])('%d is no limit', (maxBytes) => {
  expect(errorOf(() => serializer.serialize(1, maxBytes)).code).toBe('UNSUPPORTED_TYPE');
  expect(errorOf(() => serializer.deserialize('safe:1', maxBytes)).code).toBe('UNSUPPORTED_TYPE');
});

test('an option that cannot be is refused', () => {
  const options = { profile: 'ruby' } as object;
  expect(errorOf(() => new BoundedSerializer(options)).code).toBe('UNSUPPORTED_TYPE');
});
