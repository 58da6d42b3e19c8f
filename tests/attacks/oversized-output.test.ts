import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

/** By name, and whether what ends it is a limit of one value: a call with it just fails. */
const BIG: readonly [name: string, code: string, ofOne?: true][] = [
  ['a text of thirty megabytes', 'return "x".repeat(3e7)'],
  ['a text of wide characters', 'return "\\u20ac".repeat(2e6)'],
  ['a text that grows by its escapes', 'return "\\u0000".repeat(1e6)'],
  ['sixteen megabytes of bytes', 'return new Uint8Array(2 ** 24)'],
  ['a huge BigInt', 'return 2n ** 200000n', true],
  ['a long pattern', 'return new RegExp("a".repeat(1e6))', true],
  ['a long key', 'return { ["k".repeat(1e7)]: 1 }'],
  ['an error with a long message', 'const e = new Error("x".repeat(1e7)); return e'],
  ['a map of long keys', 'return new Map([["k".repeat(1e7), 1]])'],
];

const keys = (count: number): string =>
  `const o = {}; for (let n = 0; n < ${count}; n++) o["key" + n] = n; return o`;
const texts = (count: number): string => `return Array(${count}).fill("abcdef")`;

/** What takes long to make and to read is made once, and part of it shows the rest. */
const MANY: typeof BIG = [
  ['two hundred thousand keys', keys(200_000)],
  ['half a million texts', texts(500_000)],
];
const FEWER: typeof BIG = [
  ['forty thousand keys', keys(40_000)],
  ['a hundred thousand texts', texts(100_000)],
];
const TOOL_ARG_BYTES = 2 ** 18;

attacks('output beyond every limit', { limits: { memoryMb: 256 }, atOnce: 2 }, [
  ...[...BIG, ...MANY].map(([name, code]) => ({
    kind: 50 as const,
    name: `${name} as a log, and then as the result`,
    code: `const value = await (async () => { ${code} })(); console.log(value, { value }); console.log(value); return value`,
    limits: { resultBytes: 2 ** 21 },
    // The log is cut, and the run goes on to its result.
    expected: { error: 'RESULT_LIMIT', limit: expect.any(Number), ran: 'yes' } as const,
    check: (outcome: { usage: { logBytes: number } }) => {
      expect(outcome.usage.logBytes).toBeGreaterThan(0);
      expect(outcome.usage.logBytes).toBeLessThanOrEqual(64 * 1024 + 1024);
    },
  })),
  ...[...BIG, ...FEWER].map(([name, code, ofOne]) => ({
    kind: 50 as const,
    name: `${name} as an argument`,
    code: `const value = await (async () => { ${code} })(); try { await tool(value) } catch (error) { return error.code } return 1`,
    tools: { tool: (): number => 1 },
    limits: { toolArgBytes: TOOL_ARG_BYTES },
    expected:
      ofOne === true
        ? ({ value: 'LIMIT' } as const)
        : ({ error: 'TOOL_DATA_LIMIT', limit: TOOL_ARG_BYTES } as const),
    check: (_outcome: unknown, calls: readonly unknown[]) => {
      expect(calls).toEqual([]);
    },
  })),
  ...[...BIG.slice(0, 3), ...FEWER].map(([name, code]) => ({
    kind: 50 as const,
    name: `${name} as what is thrown`,
    code: `throw await (async () => { ${code} })()`,
    expected: { error: 'GUEST_ERROR' } as const,
    check: (outcome: unknown) => {
      expect(JSON.stringify(outcome).length).toBeLessThan(200_000);
    },
  })),
  {
    kind: 50,
    name: 'twenty megabytes of error message, and a stack of ten',
    code: 'const e = new Error("m".repeat(2e7)); e.stack = "s".repeat(1e7); e.name = "n".repeat(1e7); throw e',
    expected: { error: 'GUEST_ERROR' },
    check: (outcome) => {
      expect(JSON.stringify(outcome).length).toBeLessThan(100_000);
    },
  },
  {
    kind: 50,
    name: 'a result of a tool that is too large ends the run, whoever catches it',
    code: 'try { await tool() } catch { return 1 } return 2',
    tools: { tool: () => 'x'.repeat(5_000_000) },
    expected: { error: 'TOOL_DATA_LIMIT', limit: 4 * 2 ** 20 },
  },
]);
