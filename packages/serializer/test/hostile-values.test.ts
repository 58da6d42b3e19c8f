import { deserialize, serialize } from '@glovebox/serializer';
import { expect, test } from 'vitest';

import { errorOf } from './fixtures/error-of.ts';

const thorough = { thorough: true };

test('a getter is read once, and what it gave is what goes', () => {
  let reads = 0;
  const value = {
    get at() {
      return ++reads === 1 ? 1 : new Map();
    },
    others: [1, 2],
  };
  expect(serialize(value, thorough)).toBe('safe:{"at":1,"others":[1,2]}');
  expect(reads).toBe(1);
  const list = [0, 1];
  let elementReads = 0;
  Object.defineProperty(list, 0, { enumerable: true, get: () => ++elementReads });
  expect(serialize(list, thorough)).toBe('safe:[1,1]');
  expect(elementReads).toBe(1);
});

test('what a getter throws is the cause of an error with a path', () => {
  const boom = new TypeError('boom');
  const value = {
    list: [
      {
        get at(): never {
          throw boom;
        },
      },
    ],
  };
  for (const options of [{}, thorough]) {
    const error = errorOf(() => serialize(value, options));
    expect(error).toMatchObject({ code: 'UNSUPPORTED_TYPE', path: '.list[0].at', cause: boom });
  }
  const forged = {
    get at(): never {
      throw Object.create(Object.getPrototypeOf(errorOf(() => serialize(Symbol('x')))) as object);
    },
  };
  expect(errorOf(() => serialize({ forged })).path).toBe('.forged.at');
});

test('a getter that always gives something deeper is stopped by the depth', () => {
  const deeper = (): object => ({
    get inner() {
      return deeper();
    },
  });
  for (const options of [{}, thorough])
    expect(errorOf(() => serialize(deeper(), options)).limit).toBe('maxDepth');
});

test('collections that grow while they are read are refused', () => {
  const set = new Set<unknown>();
  set.add({
    get grow() {
      set.add({});
      return 1;
    },
  });
  expect(errorOf(() => serialize(set)).code).toBe('UNSUPPORTED_TYPE');
  const map = new Map<unknown, unknown>();
  map.set('a', {
    get grow() {
      map.set({}, 1);
      return 1;
    },
  });
  expect(errorOf(() => serialize(map)).code).toBe('UNSUPPORTED_TYPE');
  const endless = new Set<unknown>();
  const grow = (): object => ({
    get next() {
      endless.add(grow());
      return 1;
    },
  });
  endless.add(grow());
  expect(errorOf(() => serialize(endless, { limits: { maxNodes: 1000 } })).limit).toBe('maxNodes');
});

test('a buffer that is detached while its owner is read is refused', () => {
  const buffer = new ArrayBuffer(8);
  const value = [
    {
      get detach() {
        structuredClone(buffer, { transfer: [buffer] });
        return 1;
      },
    },
    new Uint8Array(buffer),
  ];
  expect(errorOf(() => serialize(value, thorough)).path).toBe('[1]');
});

test('lies about what a value is change nothing', () => {
  const liar = { [Symbol.toStringTag]: 'Date' };
  expect(errorOf(() => serialize(liar)).code).toBe('UNSUPPORTED_TYPE');
  class Fake {
    get [Symbol.toStringTag](): string {
      return 'Array';
    }
    static [Symbol.hasInstance](): boolean {
      return true;
    }
  }
  expect(errorOf(() => serialize(new Fake())).code).toBe('UNSUPPORTED_TYPE');
  expect(errorOf(() => serialize(Object.assign(new Fake(), { constructor: Object }))).code).toBe(
    'UNSUPPORTED_TYPE',
  );
  expect(serialize({ constructor: Map, data: 1 }.data)).toBe('safe:1');
  expect(errorOf(() => serialize(Object.setPrototypeOf([], null))).code).toBe('UNSUPPORTED_TYPE');
  expect(errorOf(() => serialize(Object.setPrototypeOf({}, Array.prototype))).code).toBe(
    'UNSUPPORTED_TYPE',
  );
});

test('own data named like hooks is data; own functions named so are refused', () => {
  const plain = { toJSON: 1, then: { valueOf: 2 }, toString: null };
  expect(deserialize(serialize(plain))).toEqual(plain);
  for (const hook of ['toJSON', 'then', 'valueOf', 'toString']) {
    expect(errorOf(() => serialize({ a: [{ [hook]: () => 1 }] })).path).toBe(`.a[0].${hook}`);
  }
});

test('an inherited toJSON has no say', () => {
  const value = { a: [1, { b: 2 }], at: new Date(0), big: 1n };
  const plain = { a: [1, { b: 2 }] };
  const texts = [serialize(value), serialize(plain)];
  const prototypes = [
    Object.prototype,
    Array.prototype,
    Date.prototype,
    BigInt.prototype,
    String.prototype,
  ];
  for (const prototype of prototypes) Object.assign(prototype, { toJSON: () => 'forged' });
  try {
    expect([serialize(value), serialize(plain)]).toEqual(texts);
  } finally {
    for (const prototype of prototypes) delete (prototype as { toJSON?: unknown }).toJSON;
  }
});

test('polluted prototypes add nothing, and get nothing', () => {
  const value = { a: [1, { b: new Date(0) }], map: new Map([[{}, [,]]]) };
  const text = serialize(value);
  const plainText = serialize([{ a: [1] }]);
  const trapped: unknown[] = [];
  Object.defineProperty(Object.prototype, 'polluted', {
    value: { deep: {} },
    enumerable: true,
    configurable: true,
    writable: true,
  });
  Object.defineProperty(Object.prototype, '__type__', {
    value: 'set',
    configurable: true,
    writable: true,
  });
  Object.defineProperty(Object.prototype, 'data', {
    value: [1],
    configurable: true,
    writable: true,
  });
  Object.defineProperty(Object.prototype, 'js', {
    value: 'Buffer',
    configurable: true,
    writable: true,
  });
  Object.defineProperty(Object.prototype, 'get', {
    value: () => 1,
    configurable: true,
    writable: true,
  });
  for (const index of [0, 1, 2])
    Object.defineProperty(Array.prototype, index, {
      configurable: true,
      set: (stolen: unknown) => trapped.push(stolen),
    });
  let written: string;
  let plainWritten: string;
  let read: typeof value;
  let readAgain: string;
  try {
    written = serialize(value, thorough);
    plainWritten = serialize([{ a: [1] }], thorough);
    read = deserialize<typeof value>(text);
    readAgain = serialize(deserialize(text), thorough);
  } finally {
    for (const key of ['polluted', '__type__', 'data', 'js', 'get'])
      delete (Object.prototype as Record<string, unknown>)[key];
    for (const index of [0, 1, 2]) delete (Array.prototype as unknown[])[index];
  }
  expect(written).toBe(text);
  expect(plainWritten).toBe(plainText);
  expect(readAgain).toBe(text);
  expect(read).toEqual(value);
  expect(trapped).toEqual([]);
});

test('errors with hostile fields are read once, or refused', () => {
  const error = new Error('x');
  let reads = 0;
  Object.defineProperty(error, 'message', { get: () => (++reads === 1 ? 'first' : 2) });
  expect(deserialize<Error>(serialize(error)).message).toBe('first');
  const odd = Object.defineProperties(new Error('x'), {
    name: { value: Symbol('x') },
    message: { value: { toString: () => 'forged' } },
    stack: { value: 1 },
  });
  const read = deserialize<Error>(serialize(odd));
  expect(Object.keys(read)).toEqual([]);
  expect(read).toMatchObject({ name: 'Error', message: '' });
  const visible = new Error('x', { cause: 1 });
  for (const key of ['message', 'stack', 'cause', 'name'])
    Object.defineProperty(visible, key, {
      value: `own ${key}`,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  const shown = deserialize<Error>(serialize(visible));
  expect(Object.fromEntries(Object.entries(shown))).toEqual({
    message: 'own message',
    stack: 'own stack',
    cause: 'own cause',
    name: 'own name',
  });
  const unrooted = Object.setPrototypeOf(new TypeError('x'), null) as Error;
  expect(errorOf(() => serialize(unrooted)).code).toBe('UNSUPPORTED_TYPE');
  const rooted = Object.setPrototypeOf(new TypeError('x'), Object.create(null) as object) as Error;
  expect(deserialize<Error>(serialize(rooted))).toBeInstanceOf(Error);
  let chain: object = {};
  for (let level = 0; level < 200; level++) chain = Object.create(chain) as object;
  expect(
    deserialize<Error>(serialize(Object.setPrototypeOf(new TypeError('x'), chain))),
  ).toBeInstanceOf(Error);
});

test('replaced methods of the values have no say', () => {
  const original = Object.getOwnPropertyDescriptor(Number.prototype, 'valueOf');
  Object.assign(Number.prototype, { valueOf: () => 2 });
  try {
    expect(serialize(Object(1))).toBe('safe:{"__type__":"boxed","data":1}');
  } finally {
    Object.defineProperty(Number.prototype, 'valueOf', { ...original });
  }
});

test('what a hook of the realm throws while a text is read is the cause of an error', () => {
  const limit = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit');
  const boom = new TypeError('boom');
  const set = (): void => {
    throw boom;
  };
  Object.defineProperty(Error, 'stackTraceLimit', { configurable: true, get: () => 10, set });
  let error: unknown;
  try {
    deserialize('safe:[{"__type__":"error","class":"Error"}]');
  } catch (caught) {
    error = caught;
  } finally {
    Object.defineProperty(Error, 'stackTraceLimit', { ...limit });
  }
  expect(error).toMatchObject({
    name: 'SerializationError',
    code: 'MALFORMED',
    path: '[0]',
    cause: boom,
  });
});
