import { attacks } from './support/attack.ts';

const never = (): Promise<never> => new Promise(() => undefined);

const PROGRAMS: readonly [name: string, code: string][] = [
  ['a promise that nobody settles', 'await new Promise(() => {})'],
  ['the same as a result', 'return new Promise(() => {})'],
  ['a thenable that does not answer', 'await { then() {} }'],
  ['a tool that never settles', 'await never()'],
  [
    'thirty tools that never settle',
    'await Promise.all(Array.from({ length: 30 }, () => never()))',
  ],
  [
    'more calls than may be in flight, none of which settles',
    'await Promise.all(Array.from({ length: 100 }, () => never()))',
  ],
  ['a race that nobody wins', 'await Promise.race([])'],
  [
    'an async iterator that does not answer',
    'for await (const a of { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) });',
  ],
  ['await in finally', 'try { return 1 } finally { await new Promise(() => {}) }'],
  [
    'an async disposal that does not end',
    '{ await using it = { [Symbol.asyncDispose]: () => new Promise(() => {}) }; }',
  ],
  ['a timer far away', 'await new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1))'],
  [
    'a timer that is cleared',
    'await new Promise((resolve) => clearTimeout(setTimeout(resolve, 1)))',
  ],
];

const SHARED: readonly [name: string, code: string][] = [
  [
    'Atomics.waitAsync without a timeout',
    'await Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0).value',
  ],
  [
    'Atomics.wait without a timeout',
    'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
  ],
  [
    'Atomics.wait again and again',
    'const cell = new Int32Array(new SharedArrayBuffer(4)); for (;;) try { Atomics.wait(cell, 0, 0, 1e9); } catch {}',
  ],
  [
    'a loop on a shared cell',
    'const cell = new Int32Array(new SharedArrayBuffer(4)); while (Atomics.load(cell, 0) === 0);',
  ],
];

const limit = { error: 'WALL_LIMIT', limit: 200, ran: 'yes' } as const;

attacks(
  'promises that never settle',
  { limits: { wallMs: 200 }, atOnce: 3 },
  PROGRAMS.map(([name, code]) => ({
    kind: 24 as const,
    name,
    code,
    tools: { never },
    expected: limit,
  })),
);

attacks(
  'waiting on shared memory',
  { limits: { wallMs: 200 }, atOnce: 2, executor: { features: ['SharedArrayBuffer', 'Atomics'] } },
  SHARED.map(([name, code]) => ({ kind: 24, name, code, expected: limit })),
);
