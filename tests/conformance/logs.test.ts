import type { LogEntry } from '@glovebox/core';
import { expect, test } from 'vitest';

import { describeEachPool, valueOf } from '../support/pools.ts';

describeEachPool('logs', (executor) => {
  test('they come with their level, in order, as they are written and at the end', async () => {
    const heard: LogEntry[] = [];
    const outcome = await executor().run({
      code: `
        console.log('one', 2);
        console.debug('d');
        await new Promise((resolve) => setTimeout(resolve, 5));
        console.warn({ a: [1, 'x'] });
        console.error(new Map([['k', new Date(0)]]));
        return 1`,
      onLog: (entry) => heard.push(entry),
    });
    expect(valueOf(outcome)).toBe(1);
    expect(outcome.logs.map(({ level, text }) => [level, text])).toEqual([
      ['info', 'one 2'],
      ['debug', 'd'],
      ['warn', '{ a: [1, "x"] }'],
      ['error', 'Map(1) { "k" => 1970-01-01T00:00:00.000Z }'],
    ]);
    expect(heard).toEqual(outcome.logs);
    expect(outcome.usage.logBytes).toBeGreaterThan(20);
  });

  test('text past the limit is cut and marked, and the run goes on', async () => {
    const outcome = await executor().run({
      code: 'for (let i = 0; i < 100_000; i++) console.log("line", i); return "done"',
      limits: { logBytes: 1000 },
    });
    expect(valueOf(outcome)).toBe('done');
    const bytes = outcome.logs.reduce((sum, { text }) => sum + text.length, 0);
    expect(bytes).toBeLessThan(1100);
    expect(outcome.logs.at(-1)?.text).toBe('[log limit reached: later output is dropped]');
  });

  test('one enormous line is cut', async () => {
    const outcome = await executor().run({
      code: 'console.log("x".repeat(5_000_000)); console.log("after"); return 1',
      limits: { logBytes: 500 },
    });
    expect(outcome.logs).toHaveLength(2);
    expect(outcome.logs[0]?.text.length).toBeLessThan(510);
  });

  test.each([
    ['a cycle', 'const a = {}; a.a = a; console.log(a)', /^\{ a: \{ a: /],
    ['a getter', 'console.log({ get a() { throw new Error("run") } })', /^\{ a: \[accessor\] \}$/],
    ['a proxy that throws', 'console.log(new Proxy({}, { ownKeys() { throw 1 } }))', /unreadable/],
    [
      'a revoked proxy',
      'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); console.log(proxy)',
      /unreadable/,
    ],
    ['a symbol', 'console.log(Symbol("s"))', /^Symbol\(s\)$/],
    ['an error', 'console.log(new TypeError("no"))', /^TypeError: no\n/],
    ['a class instance', 'class Point { x = 1 } console.log(new Point())', /^Point \{ x: 1 \}$/],
    ['typed arrays', 'console.log(new Uint8Array([1, 2]))', /^Uint8Array\(2\) \[1, 2\]$/],
    ['numbers', 'console.log(-0, 1n, NaN)', /^-0 1n NaN$/],
    ['nothing', 'console.log()', /^$/],
    ['a failed assertion', 'console.assert(1 > 2, "math")', /^Assertion failed math$/],
  ])('%s can be logged', async (_name, code, text) => {
    const outcome = await executor().run({ code: `${code}; return 1` });
    expect(valueOf(outcome)).toBe(1);
    expect(outcome.logs).toHaveLength(1);
    expect(outcome.logs[0]?.text).toMatch(text);
  });
});
