import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const getter = (key: string, body: string): string =>
  `const e = new Error("x"); Object.defineProperty(e, ${JSON.stringify(key)}, { get() { ${body} } }); throw e`;

/** Programs that never come back, each while an error of theirs is read. */
const LOOPS: readonly [name: string, code: string, notInThreads?: string][] = [
  ...['stack', 'message', 'name', 'code', 'cause'].map((key): [string, string] => [
    `a ${key} getter that loops`,
    getter(key, 'for (;;);'),
  ]),
  [
    'a proxy around an error that loops on get',
    'throw new Proxy(new Error("x"), { get() { for (;;); } })',
  ],
  [
    'a proxy that loops on getPrototypeOf',
    'throw new Proxy({}, { getPrototypeOf() { for (;;); }, get: () => undefined })',
  ],
  [
    'a proxy that loops on ownKeys',
    'throw new Proxy({}, { ownKeys() { for (;;); }, get: () => undefined })',
  ],
  [
    'a proxy that loops on getOwnPropertyDescriptor',
    'throw new Proxy({ a: 1 }, { getOwnPropertyDescriptor() { for (;;); }, get: () => undefined })',
  ],
  ['a cause that loops', 'throw new Error("x", { cause: { get message() { for (;;); } } })'],
  [
    'a name getter on the prototype',
    'Object.defineProperty(Error.prototype, "name", { get() { for (;;); } }); throw new Error("x")',
  ],
  // V8 asks for the text of the name when the stack is first read.
  [
    'a name that is an object',
    'const e = new Error("x"); e.name = { toString() { for (;;); } }; throw e',
  ],
  [
    'a rejection with such an error',
    getter('stack', 'for (;;);').replace('throw e', 'return Promise.reject(e)'),
  ],
  ['in a finally', `try { ${getter('stack', 'for (;;);')} } finally { await 0 }`],
  [
    'a getter that waits for itself',
    getter('message', 'return this.message').replace(
      'return this.message',
      'for (;;) try { this.message } catch {}',
    ),
    'V8 does not always end a loop of overflowing stacks, and then its thread burns for good.',
  ],
];

/** Values that are thrown and come back as text: nothing of them runs on the host. */
const TEXTS: readonly [name: string, code: string, facts: Record<string, unknown>][] = [
  ['null', 'throw null', { name: 'Error', message: 'null' }],
  ['undefined', 'throw undefined', { name: 'Error', message: 'undefined' }],
  ['a bigint', 'throw 10n ** 30n', { name: 'Error', message: `${10n ** 30n}n` }],
  ['a symbol', 'throw Symbol("s")', { name: 'Error', message: 'Symbol(s)' }],
  ['a function', 'throw function f() {}', { name: 'Error', message: '[Function: f]' }],
  [
    'an object with a looping toString',
    'throw { toString() { for (;;); }, [Symbol.toPrimitive]() { for (;;); } }',
    { name: 'Error' },
  ],
  [
    'an object with a looping valueOf and toJSON',
    'throw { valueOf() { for (;;); }, toJSON() { for (;;); } }',
    { name: 'Error' },
  ],
  [
    'a getter that throws',
    getter('message', 'throw new Error("y")'),
    { name: 'Error', message: 'undefined' },
  ],
  [
    'a message that is an object',
    'const e = new Error(); e.message = { toString() { for (;;); } }; throw e',
    { name: 'Error' },
  ],
  [
    'a code that is no number',
    'throw Object.assign(new Error("x"), { code: NaN })',
    { message: 'x' },
  ],
  [
    'a code with toString',
    'throw Object.assign(new Error("x"), { code: { toString() { for (;;); } } })',
    { message: 'x' },
  ],
  [
    'a revoked proxy',
    'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy',
    { name: 'Error', message: '[unreadable]' },
  ],
  ['a cycle of causes', 'const e = new Error("x"); e.cause = e; throw e', { message: 'x' }],
  [
    'a cause that is a proxy',
    'throw new Error("x", { cause: new Proxy({}, { get() { throw 1 } }) })',
    { message: 'x' },
  ],
  [
    'a name of a code of Glovebox',
    'const e = new Error("x"); e.name = "WALL_LIMIT"; e.code = "WALL_LIMIT"; throw e',
    { name: 'WALL_LIMIT', guestCode: 'WALL_LIMIT', ran: 'yes', retryable: false },
  ],
  [
    'every field that a failure has',
    'throw Object.assign(new Error("x"), { kind: "result-limit", limit: 1, used: 2, path: ".a", ran: "no", retryable: true })',
    { name: 'Error', message: 'x', ran: 'yes', retryable: false },
  ],
  [
    'a frozen null-prototype object',
    'throw Object.freeze({ __proto__: null, message: "bare", stack: "made up" })',
    { name: 'Error', message: 'bare', stack: 'made up' },
  ],
  [
    'an AggregateError of a million',
    'throw new AggregateError(Array(1e6).fill(1), "many")',
    { name: 'AggregateError', message: 'many' },
  ],
];

/** Stacks that cost whoever reads them with a regular expression. */
const LINES: readonly [name: string, line: string][] = [
  ['one long name', '"    at " + "a".repeat(16000)'],
  ['one long name with a colon', '"    at " + "a".repeat(8000) + ":" + "1".repeat(7000)'],
  ['many dots', '"    at " + ".".repeat(16000)'],
  ['many numbers', '"    at " + ":1".repeat(8000)'],
  ['many opening parentheses', '"    at " + " eval (".repeat(2300) + "guest.js:1:99"'],
  ['many lines', '("\\n    at f (guest.js:9:9)").repeat(700)'],
  ['many names that are nearly places', '("\\n    at " + "a".repeat(500) + ":1").repeat(32)'],
];

attacks('errors that run code when they are read', { limits: { wallMs: 200 }, atOnce: 3 }, [
  ...LOOPS.map(([name, code, notInThreads]) => ({
    kind: 26 as const,
    name,
    code,
    ...(notInThreads !== undefined && { notInThreads }),
    expected: { error: 'WALL_LIMIT', limit: 200, ran: 'yes' } as const,
  })),
  ...TEXTS.map(([name, code, facts]) => ({
    kind: 26 as const,
    name: `thrown: ${name}`,
    code,
    limits: { wallMs: 30_000 },
    expected: { error: 'GUEST_ERROR', ...facts } as const,
  })),
  ...LINES.map(([name, line]) => ({
    kind: [26, 34] as const,
    name: `a stack of ${name} does not hold the caller up`,
    code: `
      const stack = ${line};
      const make = (depth) => ({ message: 'x', stack, ...(depth > 0 && { cause: make(depth - 1) }) });
      throw make(5)`,
    limits: { wallMs: 30_000 },
    expected: { error: 'GUEST_ERROR', message: 'x' } as const,
  })),
  {
    kind: 50,
    name: 'every text of an error is cut, that of its causes too',
    code: `
      const big = 'y'.repeat(1e6);
      const make = (depth) => Object.assign(new Error(big), { name: big, code: big, stack: big, ...(depth > 0 && { cause: make(depth - 1) }) });
      throw make(20)`,
    limits: { wallMs: 30_000 },
    expected: { error: 'GUEST_ERROR' },
    check: (outcome) => {
      expect(JSON.stringify(outcome).length).toBeLessThan(300_000);
    },
  },
]);
