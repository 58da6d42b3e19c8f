import { fileURLToPath } from 'node:url';

import * as api from '@glovebox/serializer';
import ivm from 'isolated-vm';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { makeCorpus } from './fixtures/corpus.ts';

const { deserialize, serialize } = api;
const names = Object.keys(makeCorpus(api));

let bundle: string;
let isolate: ivm.Isolate;
let context: ivm.Context;

beforeAll(async () => {
  const build = await rolldown({
    input: fileURLToPath(new URL('../src/safe.ts', import.meta.url)),
    platform: 'neutral',
  });
  const { output } = await build.generate({ format: 'iife', name: 'serializer', minify: true });
  bundle = output[0].code;
  await build.close();
  isolate = new ivm.Isolate({ memoryLimit: 128 });
  context = await isolate.createContext();
  await context.eval(bundle);
  await context.eval(`const corpus = (${makeCorpus.toString()})(serializer);`);
});
afterAll(() => {
  isolate.dispose();
});

/** The last part of each test: code of the guest, with the text of its result. */
async function evaluate(code: string, inContext = context): Promise<unknown> {
  return inContext.eval(code, { timeout: 5000, copy: true });
}

test('a bare isolate has none of the primitives of the host', async () => {
  expect(
    await evaluate(
      '[typeof Buffer, typeof URL, typeof TextEncoder, typeof process, typeof atob].join()',
    ),
  ).toBe('undefined,undefined,undefined,undefined,undefined');
});

test.each(names)('%s has the same text in an isolate, byte for byte', async (name) => {
  const expected = serialize(makeCorpus(api)[name]);
  expect(await evaluate(`serializer.serialize(corpus[${JSON.stringify(name)}])`)).toBe(expected);
  expect(
    await evaluate(`serializer.serialize(corpus[${JSON.stringify(name)}], { thorough: false })`),
  ).toBe(expected);
  expect(
    await evaluate(`serializer.serialize(serializer.deserialize(${JSON.stringify(expected)}))`),
  ).toBe(expected);
});

test('the bundle is small enough to be evaluated in each isolate', () => {
  expect(Buffer.byteLength(bundle)).toBeLessThan(48 * 1024);
});

test('a Buffer of the host is a Uint8Array where there is no Buffer, and goes back as a Buffer', async () => {
  const sent = serialize([Buffer.from('hi')]);
  const read = `const read = serializer.deserialize(${JSON.stringify(sent)})`;
  const run = (code: string): Promise<unknown> => evaluate(`{ ${read}; ${code} }`);
  expect(
    await run('[Object.getPrototypeOf(read[0]) === Uint8Array.prototype, read[0].join()].join()'),
  ).toBe('true,104,105');
  expect(await run('serializer.serialize(read)')).toBe(sent);
  expect(await run("serializer.serialize(read, { profile: 'python' })")).toBe(
    serialize([Buffer.from('hi')], { profile: 'python' }),
  );
  // What the guest makes of it is its own.
  const plain = serialize([new Uint8Array(Buffer.from('hi'))]);
  expect(await run('serializer.serialize([read[0].slice()])')).toBe(plain);
  expect(await run('serializer.serialize([new Uint8Array(read[0].buffer)])')).toBe(plain);
  const sentPlain = JSON.stringify(plain);
  expect(await evaluate(`serializer.serialize(serializer.deserialize(${sentPlain}))`)).toBe(plain);
});

test('a URL is refused where there is none', async () => {
  const url = JSON.stringify(serialize([new URL('http://a/')]));
  expect(
    await evaluate(
      `try { serializer.deserialize(${url}) } catch (error) { [error.code, error.path].join() }`,
    ),
  ).toBe('UNSUPPORTED_TYPE,[0]');
});

test('what a guest gives to every object is no option and no limit', async () => {
  const given = {
    profile: 'python',
    references: 'preserve',
    limits: { maxDepth: 1 },
    allowUnsafe: true,
    thorough: false,
    errorStacks: false,
    maxDepth: 1,
    maxNodes: 1,
    maxBytes: 10,
    maxBigIntDigits: 1,
    maxRegExpLength: 1,
  };
  const value = '({ twice: [[[10n, /abc/, undefined]]] })';
  const besieged = new ivm.Isolate({ memoryLimit: 64 });
  try {
    const ground = await besieged.createContext();
    await ground.eval(bundle);
    const write = (options: string): Promise<unknown> =>
      evaluate(
        `{ const text = serializer.serialize(${value}${options});
           serializer.serialize(serializer.deserialize(text${options})${options}) }`,
        ground,
      );
    const expected = await evaluate(`serializer.serialize(${value})`);
    await ground.eval(
      `for (const [name, value] of Object.entries(${JSON.stringify(given)})) Object.prototype[name] = value`,
    );
    expect(await evaluate('({}).maxNodes', ground)).toBe(1);
    for (const options of ['', ', {}', ', { limits: {} }', ', { limits: { maxDepth: 9 } }']) {
      // The properties of the guest are enumerable, and so the data has none of them for its own.
      expect(await write(options)).toBe(expected);
    }
    const instance = `const made = new serializer.SafeSerializer(); made.serialize(made.deserialize(made.serialize(${value})))`;
    expect(await evaluate(instance, ground)).toBe(expected);
  } finally {
    besieged.dispose();
  }
});

test('errors of the guest are those of its realm, and show nothing of the host', async () => {
  const text = JSON.stringify(serialize(new TypeError('x', { cause: 1 }), { errorStacks: false }));
  expect(
    await evaluate(
      `const read = serializer.deserialize(${text}); [read instanceof TypeError, read.message, read.cause, read.stack].join()`,
    ),
  ).toBe('true,x,1,');
});

/** Replaces whatever a guest can reach. */
const SIEGE = `{
  const boom = () => { throw new SiegeError('a replaced method was called'); };
  const SiegeError = Error;
  const { getOwnPropertyNames, getOwnPropertyDescriptor, defineProperty, getPrototypeOf } = Object;
  const { ownKeys } = Reflect;
  const names = getOwnPropertyNames(globalThis).filter((name) => name !== 'serializer' && name !== 'globalThis');
  const holders = [
    getPrototypeOf(Uint8Array.prototype),
    getPrototypeOf(Uint8Array),
    getPrototypeOf(getPrototypeOf([][Symbol.iterator]())),
    getPrototypeOf([][Symbol.iterator]()),
    getPrototypeOf(new Map().entries()),
    getPrototypeOf(new Set().values()),
    getPrototypeOf(''[Symbol.iterator]()),
  ];
  for (const name of names) {
    const value = globalThis[name];
    if ((typeof value !== 'function' && typeof value !== 'object') || value === null) continue;
    holders.push(value);
    if (typeof value.prototype === 'object') holders.push(value.prototype);
  }
  const descriptors = holders.map((holder) => ownKeys(holder));
  for (let at = 0; at < holders.length; at++) {
    for (let index = 0; index < descriptors[at].length; index++) {
      const key = descriptors[at][index];
      const descriptor = getOwnPropertyDescriptor(holders[at], key);
      if (descriptor === undefined || !descriptor.configurable || key === 'prototype') continue;
      if (typeof descriptor.value === 'function') defineProperty(holders[at], key, { __proto__: null, value: boom });
      else if (descriptor.get) defineProperty(holders[at], key, { __proto__: null, get: boom, set: boom });
    }
  }
  const trap = { __proto__: null, get: boom, set: boom, configurable: true };
  const trapped = [0, 1, 2, 3, 'toJSON', 'data', 'js', 'path', 'cause', 'then', 'value', 'get', 'set', 'writable', 'enumerable', 'configurable', '__type__', 'count', 'level', 'alphabet', 'profile', 'limits', 'stack', 'message'];
  for (let at = 0; at < trapped.length; at++) {
    defineProperty(Array.prototype, trapped[at], trap);
    defineProperty(Object.prototype, trapped[at], trap);
  }
  for (let at = 0; at < names.length; at++) {
    const descriptor = getOwnPropertyDescriptor(globalThis, names[at]);
    if (descriptor.configurable) defineProperty(globalThis, names[at], { __proto__: null, value: boom });
  }
}`;

describe('after a guest has replaced every method, getter and global', () => {
  let besieged: ivm.Isolate;
  let ground: ivm.Context;
  beforeAll(async () => {
    besieged = new ivm.Isolate({ memoryLimit: 128 });
    ground = await besieged.createContext();
    await ground.eval(bundle);
    await ground.eval(
      `const { serialize, deserialize } = serializer; const corpus = (${makeCorpus.toString()})(serializer);`,
    );
    await ground.eval(SIEGE);
  });
  afterAll(() => {
    besieged.dispose();
  });

  test('the replacement is complete', async () => {
    await expect(evaluate('[1].map((x) => x)', ground)).rejects.toThrow(
      'a replaced method was called',
    );
    await expect(evaluate('[...[1]]', ground)).rejects.toThrow('a replaced method was called');
    await expect(evaluate('JSON(1)', ground)).rejects.toThrow('a replaced method was called');
    await expect(evaluate('({}).data', ground)).rejects.toThrow('a replaced method was called');
  });

  test.each(names)('%s is written and read as before', async (name) => {
    const expected = serialize(makeCorpus(api)[name]);
    expect(await evaluate(`serialize(corpus[${JSON.stringify(name)}])`, ground)).toBe(expected);
    expect(await evaluate(`serialize(deserialize(${JSON.stringify(expected)}))`, ground)).toBe(
      expected,
    );
  });

  test('what is refused is refused as before', async () => {
    const code =
      "try { serialize({ a: [() => 1] }) } catch (error) { error.code + ' ' + error.path + ' ' + error.name }";
    expect(await evaluate(code, ground)).toBe('UNSUPPORTED_TYPE .a[0] SerializationError');
    const reading =
      'try { deserialize(\'safe:[{"__type__":"x"}]\') } catch (error) { error.code + \' \' + error.path }';
    expect(await evaluate(reading, ground)).toBe('UNKNOWN_TAG [0]');
  });

  test('both profiles and references work as before', async () => {
    expect(
      await evaluate(
        "serialize(deserialize('safe:[NaN, 12345678901234567890]', { profile: 'python' }), { profile: 'python' })",
        ground,
      ),
    ).toBe('safe:[NaN,12345678901234567890]');
    expect(
      await evaluate(
        "const twice = {}; serialize([twice, twice], { references: 'preserve' })",
        ground,
      ),
    ).toBe('safe:{"__type__":"graph","data":[{},{"__type__":"ref","id":1}]}');
  });
});

test('a Proxy in an isolate does no harm', async () => {
  const attempts = [
    'new Proxy({}, { ownKeys() { throw new RangeError("x") } })',
    'new Proxy({ a: 1 }, { get() { throw 1 } })',
    'new Proxy({ a: 1 }, { getPrototypeOf: () => Map.prototype })',
    'new Proxy({ a: 1 }, { getPrototypeOf: () => Date.prototype })',
    '[new Proxy([1, 2], { get: (target, key) => key === "length" ? 1e9 : target[key] })]',
    '(() => { const deep = new Proxy({ a: 1 }, { get: () => deep2() }); function deep2() { return new Proxy({ a: 1 }, { get: () => deep2() }); } return deep; })()',
    'Object.setPrototypeOf(new Error("x"), new Proxy({}, { getPrototypeOf: (target) => new Proxy({}, this) }))',
  ];
  for (const attempt of attempts) {
    const outcome = await evaluate(
      `try { serializer.serialize(${attempt}) } catch (error) { error.name + ' ' + error.code }`,
    );
    expect(outcome).toMatch(/^(safe:|SerializationError (UNSUPPORTED_TYPE|LIMIT)$)/);
  }
  const counted = await evaluate(
    'let reads = 0; const seen = new Proxy({ a: 1 }, { get: () => ++reads }); serializer.serialize([seen, seen])',
  );
  expect(counted).toBe('safe:[{"a":1},{"a":2}]');
});

test('text that a guest forges is read with all limits, and as what it says', async () => {
  const forged = String(await evaluate("'safe:' + '['.repeat(1e5)"));
  expect(() => deserialize(forged)).toThrow(api.SerializationError);
});
