import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

attacks("work for the caller's event loop", {}, [
  {
    kind: [34, 50],
    name: 'three hundred thousand lines of log',
    code: "for (let n = 0; n < 300000; n++) console.log('line', n); return 1",
    expected: { value: 1 },
    check: (outcome) => {
      expect(outcome.usage.logBytes).toBeLessThanOrEqual(64 * 1024 + 1024);
      expect(outcome.logs.at(-1)?.text).toMatch(/log limit reached/);
    },
  },
  {
    kind: [34, 50],
    name: 'one line of fifty million characters',
    code: "console.log('x'.repeat(5e7)); return 1",
    expected: { value: 1 },
    check: (outcome) => {
      expect(outcome.usage.logBytes).toBeLessThanOrEqual(64 * 1024 + 1024);
    },
  },
  {
    kind: [34, 50],
    name: 'empty lines are not free',
    code: 'for (let n = 0; n < 300000; n++) console.log(); return 1',
    expected: { value: 1 },
    check: (outcome) => {
      expect(outcome.logs.length).toBeLessThan(5000);
    },
  },
  {
    kind: 34,
    name: 'a result of two million small values',
    code: 'return Array(1_900_000).fill(0)',
    limits: { memoryMb: 256 },
    expected: { value: expect.objectContaining({ length: 1_900_000 }) },
  },
  {
    kind: 34,
    name: 'a result of a hundred thousand objects',
    code: "return Array.from({ length: 100_000 }, (_, n) => ({ n, name: 'name' }))",
    limits: { memoryMb: 256 },
    expected: { value: expect.objectContaining({ length: 100_000 }) },
  },
  {
    kind: 34,
    name: 'a result of fifty thousand dates and maps',
    code: 'return Array.from({ length: 25_000 }, (_, n) => [new Date(n), new Map([[n, n]])])',
    limits: { memoryMb: 256 },
    expected: { value: expect.objectContaining({ length: 25_000 }) },
  },
  {
    kind: 34,
    name: 'a result of as many keys as fit',
    code: 'const o = {}; for (let n = 0; n < 270_000; n++) o["k" + n] = n; return o',
    limits: { memoryMb: 256 },
    // Read, or refused as too much for one turn: what counts is the time that it takes.
    expected: { endsIn: ['value', 'RESULT_LIMIT'] },
  },
  {
    kind: 34,
    name: 'a result of BigInts of many digits',
    code: 'const b = 10n ** 9000n; return Array(400).fill(b)',
    limits: { memoryMb: 256 },
    expected: { endsIn: ['value', 'RESULT_LIMIT'] },
  },
  {
    kind: 34,
    name: 'three megabytes of bytes',
    code: 'return new Uint8Array(3_000_000)',
    limits: { memoryMb: 256 },
    expected: { value: new Uint8Array(3_000_000) },
  },
  {
    kind: 34,
    name: 'thirty calls at once with a megabyte each',
    code: "await Promise.all(Array.from({ length: 30 }, () => tool('x'.repeat(1e6)))); return 1",
    tools: { tool: (): number => 1 },
    limits: { memoryMb: 256 },
    expected: { value: 1 },
  },
  {
    kind: 34,
    name: 'thirty calls at once with many small values each',
    code: 'await Promise.all(Array.from({ length: 30 }, () => tool(Array(400_000).fill(0)))); return 1',
    tools: { tool: (): number => 1 },
    // It takes seconds where nothing else is at work.
    limits: { wallMs: 120_000, memoryMb: 256 },
    expected: { value: 1 },
  },
  {
    kind: 34,
    name: 'ten thousand calls as fast as they go',
    code: 'for (let n = 0; n < 10000; n += 20) await Promise.all(Array.from({ length: 20 }, () => tool(n))); return 1',
    tools: { tool: (): number => 1 },
    limits: { toolCalls: 10_000 },
    expected: { value: 1 },
  },
]);
