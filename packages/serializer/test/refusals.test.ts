import { deserialize, SafeSerializer, SerializationError, serialize } from '@glovebox/serializer';
import { describe, expect, test } from 'vitest';

import { errorOf } from './fixtures/error-of.ts';

class Point {
  x = 1;
}
class Names extends Map<string, string> {}
class List extends Array<number> {}

const detached = new ArrayBuffer(8);
const detachedView = new Uint8Array(detached);
structuredClone(detached, { transfer: [detached] });

/** As classes were written once: `constructor` is inherited from `Object.prototype`. */
const OldStyle = function OldStyle() {} as unknown as new () => object; // `new` fits a function.
OldStyle.prototype = { method: undefined };
Object.defineProperty(OldStyle.prototype, 'method', { enumerable: false });

function argumentsOf(..._items: unknown[]): unknown {
  // eslint-disable-next-line prefer-rest-params -- this object is what the test is about
  return arguments;
}

const revoked = Proxy.revocable({}, {});
revoked.revoke();

const refused: [name: string, value: unknown][] = [
  ['a function', () => 1],
  ['a class', Point],
  ['a symbol', Symbol('s')],
  ['a registered symbol', Symbol.for('s')],
  ['a boxed symbol', Object(Symbol('s'))],
  ['a Promise', Promise.resolve(1)],
  ['a Proxy', new Proxy({}, {})],
  ['a Proxy of an array', new Proxy([], {})],
  ['a revoked Proxy', revoked.proxy],
  ['a WeakMap', new WeakMap()],
  ['a WeakSet', new WeakSet()],
  ['a WeakRef', new WeakRef({})],
  ['a class instance', new Point()],
  ['an object that inherits from another', Object.create({ inherited: 1 })],
  ['an instance of a function with a prototype that names Object', new OldStyle()],
  ['an array that inherits from another', Object.setPrototypeOf([1], [2])],
  ['a subclass of Map', new Names()],
  ['a subclass of Array', new List()],
  ['a subclass of Date', new (class extends Date {})(0)],
  ['arguments', argumentsOf(1)],
  ['a generator', (function* () {})()],
  ['an iterator of a Map', new Map().entries()],
  ['Headers', new Headers()],
  ['a Blob', new Blob([])],
  ['URLSearchParams', new URLSearchParams()],
  ['an Intl object', new Intl.NumberFormat()],
  ['a SharedArrayBuffer', new SharedArrayBuffer(1)],
  ['a view of a SharedArrayBuffer', new Uint8Array(new SharedArrayBuffer(1))],
  ['a detached ArrayBuffer', detached],
  ['a view of a detached ArrayBuffer', detachedView],
  ['a resizable ArrayBuffer', new ArrayBuffer(1, { maxByteLength: 2 })],
  ['what only looks like a Date', Object.create(Date.prototype)],
  ['what only looks like a Map', Object.create(Map.prototype)],
  ['what only looks like a Set', Object.create(Set.prototype)],
  ['what only looks like a RegExp', Object.create(RegExp.prototype)],
  ['RegExp.prototype', RegExp.prototype],
  ['what only looks like a Buffer', Object.create(Buffer.prototype)],
  ['what only looks like a typed array', Object.create(Int8Array.prototype)],
  [
    'a typed array of another prototype',
    Object.setPrototypeOf(new Int8Array(1), Uint8Array.prototype),
  ],
  ['what only looks like an ArrayBuffer', Object.create(ArrayBuffer.prototype)],
  ['what only looks like a DataView', Object.create(DataView.prototype)],
  ['what only looks like a URL', Object.create(URL.prototype)],
  ['what only looks like a boxed number', Object.create(Number.prototype)],
  ['an object with a symbol as key', { [Symbol('k')]: 1 }],
  ['an array with another property', Object.assign([1, 2], { extra: 1 })],
  ['a sparse array with another property', Object.assign([1, , 2], { extra: 1 })],
  ['an array with a symbol as key', Object.assign([1], { [Symbol('k')]: 1 })],
  ['a property that is not enumerable', Object.defineProperty({}, 'hidden', { value: 1 })],
  ['a Map with a property', Object.assign(new Map(), { extra: 1 })],
  ['a Set with a property', Object.assign(new Set(), { extra: 1 })],
  ['a Date with a property', Object.assign(new Date(0), { extra: 1 })],
  ['a RegExp with a property', Object.assign(/x/, { extra: 1 })],
  ['an ArrayBuffer with a property', Object.assign(new ArrayBuffer(1), { extra: 1 })],
  ['a DataView with a property', Object.assign(new DataView(new ArrayBuffer(1)), { extra: 1 })],
  ['a typed array with a symbol as key', Object.assign(new Uint8Array(1), { [Symbol('k')]: 1 })],
  ['a Buffer with a symbol as key', Object.assign(Buffer.alloc(1), { [Symbol('k')]: 1 })],
  ['a boxed number with a property', Object.assign(Object(1), { extra: 1 })],
  ['a boxed text with a property', Object.assign(Object('ab'), { extra: 1 })],
  ['a RegExp whose lastIndex is a text', Object.assign(/x/g, { lastIndex: '1' })],
  ['a RegExp whose lastIndex is a fraction', Object.assign(/x/g, { lastIndex: 1.5 })],
  ['a RegExp whose lastIndex is negative', Object.assign(/x/g, { lastIndex: -1 })],
  ['an error that holds a function', Object.assign(new Error('x'), { toJSON: () => 1 })],
];

describe.each([
  ['by default', {}],
  ['thoroughly', { thorough: true }],
] as const)('%s', (_, options) => {
  test.each(refused)('%s is refused', (_name, value) => {
    const error = errorOf(() => serialize(value, options));
    expect(error.code).toBe('UNSUPPORTED_TYPE');
    expect(error.name).toBe('SerializationError');
  });

  test.each(refused)('%s is refused where it stands, within all containers', (_name, value) => {
    const inside = { rows: [{}, { map: new Map([['key', new Map([[new Date(0), [value]]])]]) }] };
    const error = errorOf(() => serialize(inside, options));
    expect(error.code).toBe('UNSUPPORTED_TYPE');
    expect(error.path).toMatch(/^\.rows\[1\]\.map\.get\("key"\)\.get\(object\)\[0\]/);
    expect(error.message).toContain(error.path);
  });
});

test.each<[path: string, value: unknown]>([
  ['.a.b_1.$c[2]', { a: { b_1: { $c: [0, 1, Symbol('x')] } } }],
  ['["a b"]["1c"][""]["é"]', { 'a b': { '1c': { '': { é: Symbol('x') } } } }],
  ['.get(1)', new Map([[1, Symbol('x')]])],
  [
    '.get(2n).get(true).get(null).get(undefined)',
    new Map([[2n, new Map([[true, new Map([[null, new Map([[undefined, Symbol('x')]])]])]])]]),
  ],
  [
    '.key(1)',
    new Map<unknown, number>([
      [1, 1],
      [Symbol('x'), 2],
    ]),
  ],
  ['.member(1)', new Set([1, Symbol('x')])],
  ['.cause.errors[0]', new Error('x', { cause: new AggregateError([Symbol('x')]) })],
  ['.request', Object.assign(new Error('x'), { request: Symbol('x') })],
  ['[1].x', [1, { x: Symbol('x') }]],
  ['[2]', [1, , Symbol('x')]],
  ['.__type__', { __type__: Symbol('x') }],
])('the path %s leads to what is refused', (path, value) => {
  const error = errorOf(() => serialize(value));
  expect(error.path).toBe(path);
  expect(error.value).toEqual(expect.any(Symbol));
});

test.each([
  ['', 'BAD_PREFIX'],
  ['safe', 'BAD_PREFIX'],
  ['SAFE:1', 'BAD_PREFIX'],
  [' safe:1', 'BAD_PREFIX'],
  ['\ufeffsafe:1', 'BAD_PREFIX'],
  ['null', 'BAD_PREFIX'],
  ['unsafe:xx', 'UNSAFE_REJECTED'],
  ['pickle:gASV', 'UNSAFE_REJECTED'],
  ['safe:', 'MALFORMED'],
  ['safe:safe:1', 'MALFORMED'],
  ['safe:unsafe:1', 'MALFORMED'],
  [null, 'BAD_PREFIX'],
  [undefined, 'BAD_PREFIX'],
  [new Uint8Array(5), 'BAD_PREFIX'],
  [Buffer.from('safe:1'), 'BAD_PREFIX'],
  [Object('safe:1'), 'BAD_PREFIX'],
  [{ toString: () => 'safe:1' }, 'BAD_PREFIX'],
])('%j is refused as %s', (text, code) => {
  expect(errorOf(() => deserialize(text as string)).code).toBe(code);
});

test('the messages for pickle and unsafe text say what they are', () => {
  expect(errorOf(() => deserialize('pickle:x')).message).toContain('pickle of Python');
  expect(errorOf(() => deserialize('unsafe:x')).message).toContain('allowUnsafe');
  expect(errorOf(() => deserialize('x')).message).toContain('safe:');
});

test.each([
  [{ profile: 'ruby' }],
  [{ references: 'keep' }],
  [{ profile: 'python', references: 'preserve' }],
  [{ limits: { maxDepth: -1 } }],
  [{ limits: { maxDepth: 1.5 } }],
  [{ limits: { maxDepth: 1001 } }],
  [{ limits: { maxNodes: '1' } }],
  [{ limits: { maxBytes: Number.NaN } }],
  [{ limits: { maxBytes: 2 ** 30 } }],
  [{ limits: { maxBigIntDigits: Infinity } }],
])('the options %j are refused', (options) => {
  expect(() => new SafeSerializer(options as never)).toThrow(SerializationError);
});

test('errors say what was found, and why', () => {
  expect(errorOf(() => deserialize('safe:{')).cause).toBeInstanceOf(SyntaxError);
  expect(errorOf(() => deserialize(7 as never))).toMatchObject({
    value: 7,
    message: 'Only a string can be read',
  });
  const long = 'x'.repeat(100);
  expect(errorOf(() => deserialize(long)).value).toBe('x'.repeat(32));
  const thrower = {
    get a(): never {
      throw new RangeError('no');
    },
  };
  const error = errorOf(() => serialize(thrower));
  expect(error.value).toBe(thrower);
  expect(error.message).toBe('Reading the value threw (at .a)');
});

test.each([
  ['maxDepth', 1000],
  ['maxNodes', Number.MAX_SAFE_INTEGER],
  ['maxBytes', 2 ** 29 - 24],
  ['maxBigIntDigits', Number.MAX_SAFE_INTEGER],
  ['maxRegExpLength', Number.MAX_SAFE_INTEGER],
] as const)('the limit %s is an integer from 0 to %d', (name, most) => {
  expect(serialize(null, { limits: { [name]: most } })).toBe('safe:null');
  for (const value of [most + 1, -1, 0.5, '1', Number.NaN]) {
    const error = errorOf(() => serialize(null, { limits: { [name]: value } }));
    expect(error).toMatchObject({ code: 'UNSUPPORTED_TYPE', value });
    expect(error.message).toBe(`The limit ${name} must be an integer from 0 to ${most}`);
  }
});

test('a run of brackets is refused for its depth before it is parsed', () => {
  const run = `safe:${'['.repeat(501)}${' '.repeat(600)}`;
  expect(errorOf(() => deserialize(run))).toMatchObject({
    code: 'LIMIT',
    limit: 'maxDepth',
    allowed: 500,
    used: 501,
  });
  expect(errorOf(() => deserialize(run.replace('[', ''))).code).toBe('MALFORMED');
});
