import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const UNSTOPPABLE = 'Nothing in the process can stop the loop, so its thread would burn for good.';

const EVIL: readonly [name: string, make: string, notInThreads?: string][] = [
  [
    'an error with a looping stack',
    'Object.defineProperty(new Error("x"), "stack", { get() { for (;;); } })',
  ],
  [
    'an error with a looping message',
    'Object.defineProperty(new Error("x"), "message", { get() { for (;;); } })',
  ],
  [
    'an error with a looping name',
    'Object.defineProperty(new Error("x"), "name", { get() { for (;;); } })',
  ],
  [
    'a looping proxy',
    'new Proxy(new Error("x"), { get() { for (;;); }, getPrototypeOf() { for (;;); } })',
    UNSTOPPABLE,
  ],
  [
    'an object with a looping toString',
    '({ toString() { for (;;); }, [Symbol.toPrimitive]() { for (;;); } })',
  ],
  [
    'an error with a looping constructor',
    'Object.defineProperty(new Error("x"), "constructor", { get() { for (;;); } })',
  ],
];

attacks('hostile rejections that nobody handles', { limits: { wallMs: 200 }, atOnce: 3 }, [
  ...EVIL.flatMap(([name, make, notInThreads]) => [
    {
      kind: 28 as const,
      name: `${name} behind a good result`,
      code: `Promise.reject(${make}); return 'done'`,
      limits: { wallMs: 30_000 },
      expected: { value: 'done' },
      ...(notInThreads !== undefined && { notInThreads }),
    },
    {
      kind: 28 as const,
      name: `${name} and no result`,
      code: `Promise.reject(${make}); await new Promise(() => {})`,
      expected: { error: 'WALL_LIMIT', limit: 200 } as const,
      ...(notInThreads !== undefined && { notInThreads }),
    },
  ]),
  {
    kind: 28,
    name: 'a plain one is a line of log, and the run goes on',
    code: 'Promise.reject(new Error("lost")); await new Promise((r) => setTimeout(r, 20)); return 1',
    limits: { wallMs: 30_000 },
    expected: { value: 1 },
    check: (outcome) => {
      expect(outcome.logs.map(({ level, text }) => [level, text])).toEqual([
        ['error', 'Unhandled rejection: lost'],
      ]);
    },
  },
  ...[
    'Script execution timed out.',
    'Script execution timed out',
    'Isolate was disposed during execution',
    'Isolate was disposed during execution due to memory limit',
    'Isolate is disposed',
    'Catastrophic out-of-memory error',
    'Script failed to terminate',
    'Promise was abandoned',
  ].map((message) => ({
    kind: [28, 45] as const,
    name: `a rejection that says "${message}" ends nothing`,
    code: `
      Promise.reject(new Error(${JSON.stringify(message)}));
      await new Promise((resolve) => setTimeout(resolve, 20));
      return await tool()`,
    tools: { tool: (): string => 'went on' },
    limits: { wallMs: 30_000 },
    expected: { value: 'went on' },
  })),
  {
    kind: 28,
    name: 'ten thousand of them stay within the log limit',
    code: `
      for (let n = 0; n < 10000; n++) Promise.reject(new Error('lost '.repeat(100)));
      await new Promise((resolve) => setTimeout(resolve, 50));
      return 1`,
    limits: { wallMs: 30_000, logBytes: 5000 },
    expected: { value: 1 },
    check: (outcome) => {
      expect(outcome.usage.logBytes).toBeLessThanOrEqual(5000 + 1024);
    },
  },
  {
    kind: 28,
    name: 'one in each of many turns stays within the log limit',
    code: `
      for (let n = 0; n < 150; n++) {
        Promise.reject(new Error('lost '.repeat(100)));
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      return 1`,
    limits: { wallMs: 30_000, logBytes: 5000 },
    expected: { value: 1 },
    check: (outcome) => {
      expect(outcome.usage.logBytes).toBeLessThanOrEqual(5000 + 1024);
    },
  },
  {
    kind: 28,
    name: 'one whose handler comes late is still no end',
    code: `
      const late = Promise.reject(new Error('late'));
      await new Promise((resolve) => setTimeout(resolve, 10));
      return late.catch((error) => error.message)`,
    limits: { wallMs: 30_000 },
    expected: { value: 'late' },
  },
]);
