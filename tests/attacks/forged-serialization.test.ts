import type { Outcome } from '@glovebox/core';

import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const RESULT = `
  const result = { list: [1, 'two', [3]], map: new Map([['k', { v: 4n }]]), set: new Set([5]), when: new Date(6),
    bytes: new Uint8Array([7]), pattern: /8/g, error: new RangeError('nine'), big: 10n ** 20n, none: undefined, nan: NaN };
  delete result.error.stack;`;
const VALUE = {
  list: [1, 'two', [3]],
  map: new Map([['k', { v: 4n }]]),
  set: new Set([5]),
  when: new Date(6),
  bytes: new Uint8Array([7]),
  pattern: /8/g,
  error: expect.objectContaining({ name: 'RangeError', message: 'nine' }),
  big: 10n ** 20n,
  none: undefined,
  nan: Number.NaN,
};

/** What is replaced before the result is written, and before a call and a log. */
const REPLACED: readonly [name: string, code: string][] = [
  ['JSON', 'JSON.stringify = () => "FORGED"; JSON.parse = () => "FORGED"; globalThis.JSON = null'],
  [
    'toJSON everywhere',
    'for (const holder of [Object, Array, String, Number, Boolean, BigInt, Date, Map, Set, RegExp, Error, Uint8Array, Function, Symbol]) holder.prototype.toJSON = () => "FORGED"',
  ],
  [
    'Object.keys and its like',
    'for (const name of ["keys", "entries", "values", "getOwnPropertyNames", "getOwnPropertyDescriptor", "getOwnPropertySymbols", "getPrototypeOf", "defineProperty", "create", "freeze", "hasOwn", "assign"]) Object[name] = () => ["FORGED"]',
  ],
  [
    'Reflect',
    'for (const name of Reflect.ownKeys(Reflect)) if (typeof name === "string") Reflect[name] = () => ["FORGED"]',
  ],
  [
    'iterators',
    'for (const holder of [Array, Map, Set, String, Uint8Array]) holder.prototype[Symbol.iterator] = function* () { yield "FORGED" }; Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({ done: true })'.replace(
      'Object.getPrototypeOf([][Symbol.iterator]())',
      'Object.getPrototypeOf([].values())',
    ),
  ],
  [
    'methods of Map and Set',
    'for (const holder of [Map, Set]) for (const name of ["get", "set", "has", "add", "delete", "forEach", "entries", "keys", "values"]) holder.prototype[name] = () => "FORGED"; Object.defineProperty(Map.prototype, "size", { get: () => 0 }); Object.defineProperty(Set.prototype, "size", { get: () => 0 })',
  ],
  [
    'methods of Array',
    'for (const name of Object.getOwnPropertyNames(Array.prototype)) if (!["length", "constructor"].includes.call(["length", "constructor"], name)) Array.prototype[name] = () => "FORGED"'.replace(
      '["length", "constructor"].includes.call(["length", "constructor"], name)',
      '/^(length|constructor)$/.test(name)',
    ),
  ],
  [
    'methods of String',
    'for (const name of Object.getOwnPropertyNames(String.prototype)) if (!/^(length|constructor)$/.test(name)) String.prototype[name] = () => "FORGED"',
  ],
  [
    'methods of Number and BigInt',
    'for (const holder of [Number, BigInt, Boolean]) { holder.prototype.toString = () => "FORGED"; holder.prototype.valueOf = () => 0 }',
  ],
  [
    'methods of Date',
    'for (const name of Object.getOwnPropertyNames(Date.prototype)) if (name !== "constructor") Date.prototype[name] = () => 0; globalThis.Date = class {}',
  ],
  [
    'getters of RegExp',
    'for (const name of ["source", "flags", "global"]) Object.defineProperty(RegExp.prototype, name, { get: () => "FORGED" }); RegExp.prototype.exec = () => null; RegExp.prototype[Symbol.match] = () => null',
  ],
  [
    'getters of typed arrays',
    'const typed = Object.getPrototypeOf(Uint8Array.prototype); for (const name of ["length", "buffer", "byteLength", "byteOffset", Symbol.toStringTag]) Object.defineProperty(typed, name, { get: () => 0 })',
  ],
  [
    'Symbol.toPrimitive',
    'Object.prototype[Symbol.toPrimitive] = () => "FORGED"; Date.prototype[Symbol.toPrimitive] = undefined'.replace(
      '; Date.prototype[Symbol.toPrimitive] = undefined',
      '',
    ),
  ],
  [
    'Symbol.toStringTag',
    'for (const holder of [Object, Array, Map, Set, Date, RegExp, Error]) Object.defineProperty(holder.prototype, Symbol.toStringTag, { value: "FORGED" })',
  ],
  [
    'call, apply and bind',
    'for (const name of ["call", "apply", "bind"]) Function.prototype[name] = () => "FORGED"; Object.defineProperty(Function.prototype, Symbol.hasInstance, { value: () => false })'.replace(
      '; Object.defineProperty(Function.prototype, Symbol.hasInstance, { value: () => false })',
      '',
    ),
  ],
  [
    'Promise',
    'const then = Promise.prototype.then; Promise.prototype.then = function () { return then.call(Promise.resolve("FORGED"), arguments[0]) }; Promise.prototype.finally = Promise.prototype.catch = () => "FORGED"; Promise.resolve = () => "FORGED"',
  ],
  [
    'constructors',
    'for (const name of ["Object", "Array", "Map", "Set", "Error", "String", "Number", "Promise", "Uint8Array", "Proxy", "Symbol", "BigInt", "RegExp"]) globalThis[name] = function () { return "FORGED" }',
  ],
  [
    'constructor properties',
    'for (const holder of [Object, Array, Map, Set, Date, RegExp, Error, RangeError, Uint8Array, Promise]) holder.prototype.constructor = class Forged {}',
  ],
  [
    'Error',
    'Error.captureStackTrace = () => { throw 1 }; Object.defineProperty(Error.prototype, "toString", { value: () => "FORGED" }); Error.isError = () => false',
  ],
  [
    'Array.isArray and Number.isInteger',
    'Array.isArray = () => false; Number.isInteger = Number.isSafeInteger = Number.isFinite = () => false; globalThis.isNaN = () => true',
  ],
  [
    'Math',
    'for (const name of Object.getOwnPropertyNames(Math)) if (typeof Math[name] === "function") Math[name] = () => 0',
  ],
  [
    'options on the prototype',
    'for (const [key, value] of [["profile", "python"], ["references", "preserve"], ["limits", { maxBytes: 1 }], ["allowUnsafe", true], ["maxDepth", 1], ["maxNodes", 1], ["maxBytes", 1], ["maxBigIntDigits", 1], ["maxRegExpLength", 0], ["errorStacks", false], ["thorough", false]]) Object.prototype[key] = value',
  ],
];

/** Setters that see whatever is assigned to an index or a name of a fresh object. */
const SETTERS: readonly [name: string, code: string][] = [
  [
    'setters on indices of arrays',
    'for (const at of [0, 1, 2, 3]) Object.defineProperty(Array.prototype, at, { set(value) { seen.value = value }, get: () => "FORGED" })',
  ],
  [
    'setters on indices of objects',
    'for (const at of [0, 1, 2, 3]) Object.defineProperty(Object.prototype, at, { set(value) { seen.value = value }, get: () => "FORGED" })',
  ],
  [
    'setters on names of the runtime',
    'for (const name of ["next", "value", "done", "resolve", "reject", "callId", "tool", "text", "level", "id", "due", "data", "parent", "key", "container", "isClosed", "depth", "kind", "limits", "path"]) Object.defineProperty(Object.prototype, name, { __proto__: null, set(value) { seen[name] = value }, get: () => undefined, configurable: true })',
  ],
];

attacks('replaced builtins while a result is written', { atOnce: 3 }, [
  ...REPLACED.map(([name, code]) => ({
    kind: 39 as const,
    name: `the result, with ${name} replaced`,
    code: `${RESULT} ${code}; return result`,
    expected: { value: VALUE },
  })),
  ...REPLACED.filter(([name]) => name !== 'Promise').map(([name, code]) => ({
    kind: 39 as const,
    name: `a call, with ${name} replaced`,
    code: `const call = tool; ${code}; const back = await call({ a: [1, 'two'] }); return back`,
    tools: { tool: (input: { a: unknown[] }) => ({ b: input.a }) },
    expected: { value: { b: [1, 'two'] } },
    check: (_outcome: unknown, calls: readonly { input: unknown }[]) => {
      expect(calls.map(({ input }) => input)).toStrictEqual([{ a: [1, 'two'] }]);
    },
  })),
  ...REPLACED.map(([name, code]) => ({
    kind: 39 as const,
    name: `a log and a failure, with ${name} replaced`,
    code: `const log = console.log; const error = new TypeError('real'); ${code}; log('line', 1, { a: [2] }); throw error`,
    expected: { error: 'GUEST_ERROR', message: 'real' } as const,
    check: (outcome: Outcome) => {
      // The label of an object is the name of its constructor, whoever gave it.
      expect(outcome.logs.map(({ text }) => text)).toEqual([
        expect.stringMatching(/^line 1 (?:Forged )?\{ a: \[2\] \}$/),
      ]);
    },
  })),
  ...SETTERS.flatMap(([name, code]) => [
    {
      kind: [14, 39] as const,
      name: `${name} see nothing of the result`,
      code: `const seen = Object.create(null); ${RESULT} ${code}; return result`,
      expected: { value: VALUE },
    },
    {
      kind: 14 as const,
      name: `${name} see nothing of calls, timers and logs`,
      code: `
        const seen = Object.create(null); ${code};
        await tool({ a: 1 });
        await new Promise((resolve) => setTimeout(resolve, 1, 'argument'));
        console.log('a', { b: [1] });
        return Object.keys(seen)`,
      tools: { tool: (): object => ({ c: [1] }) },
      expected: { value: [] },
    },
  ]),
  {
    kind: 39,
    name: 'a larger depth on the prototype does not make a result that the host refuses',
    code: `
      Object.prototype.maxDepth = 1000;
      let deep = 1;
      for (let n = 0; n < 700; n++) deep = [deep];
      return deep`,
    expected: { error: 'RESULT_LIMIT' },
  },
  {
    kind: 39,
    name: 'nor does a larger count of nodes',
    code: `
      for (const key of ['maxNodes', 'maxBigIntDigits', 'maxRegExpLength']) Object.prototype[key] = Number.MAX_SAFE_INTEGER;
      return [10n ** 20000n, new RegExp('a'.repeat(30000))]`,
    expected: { error: 'RESULT_LIMIT' },
  },
]);
