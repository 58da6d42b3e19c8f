import { expect, test } from 'vitest';

import { ampleWallMs, withGrace } from '../support/calibration.ts';
import { describeEachPool, errorOf, valueOf } from '../support/pools.ts';

describeEachPool('limits', (executor) => {
  test.each([
    ['an endless loop', 'for (;;);'],
    ['a promise that never settles', 'await new Promise(() => {})'],
    ['a tool that never settles', 'await never()'],
    ['endless microtasks', 'for (;;) await null'],
    ['a loop after an awaited tool', 'await quick(); for (;;);'],
    ['a loop in a timer', 'setTimeout(() => { for (;;); }, 1); await new Promise(() => {})'],
    [
      'a loop in a stack getter',
      'const e = new Error(); Object.defineProperty(e, "stack", { get() { for (;;); } }); throw e',
    ],
    ['a loop in a result getter', 'return { get a() { for (;;); } }'],
    ['a loop in finally', 'try { for (;;); } finally { for (;;); }'],
    ['a catastrophic regular expression', '/^(a+)+$/.test("a".repeat(40) + "b")'],
  ])('%s ends at the wall limit', async (_name, code) => {
    const { result: outcome, graceMs } = await withGrace(() =>
      executor().run({
        code,
        limits: { wallMs: 300 },
        tools: { never: () => new Promise(() => undefined), quick: () => 1 },
      }),
    );
    expect(errorOf(outcome)).toMatchObject({ code: 'WALL_LIMIT', limit: 300, ran: 'yes' });
    expect(outcome.usage.wallMs).toBeGreaterThanOrEqual(290);
    expect(outcome.usage.wallMs).toBeLessThan(300 + graceMs);
  });

  test('CPU time has a limit of its own', async () => {
    const code = 'for (;;);';
    const { usage } = await executor().run({ code, limits: { wallMs: 300 } });
    const outcome = await executor().run({ code, limits: { cpuMs: 100 } });
    const error = errorOf(outcome);
    expect(error).toMatchObject({ code: 'CPU_LIMIT', limit: 100 });
    // A busy machine gives a loop but a share of the time.
    const share = Math.min(1, Math.max(usage.cpuMs, 1) / usage.wallMs);
    expect(outcome.usage.wallMs).toBeLessThan(1000 / share);
  });

  test('waiting costs no CPU time', async () => {
    const outcome = await executor().run({
      code: 'await new Promise((resolve) => setTimeout(resolve, 300)); return "waited"',
      limits: { cpuMs: 100 },
    });
    expect(valueOf(outcome)).toBe('waited');
  });

  test('a heap that grows ends at the memory limit', async () => {
    const outcome = await executor().run({
      code: 'const all = []; for (;;) all.push({ a: [1, 2, 3] });',
      limits: { memoryMb: 32 },
    });
    expect(errorOf(outcome)).toMatchObject({ code: 'MEMORY_LIMIT', limit: 32 * 2 ** 20 });
  });

  test('a source over its limit never runs', async () => {
    const code = `return 1 // ${'€'.repeat(400)}`;
    const outcome = await executor().run({ code, limits: { sourceBytes: 1000 } });
    expect(errorOf(outcome)).toMatchObject({
      code: 'SOURCE_LIMIT',
      limit: 1000,
      used: Buffer.byteLength(code),
      ran: 'no',
    });
  });

  test('variables over their limit never run', async () => {
    const outcome = await executor().run({
      code: 'return 1',
      variables: { big: 'x'.repeat(2000) },
      limits: { variablesBytes: 1000 },
    });
    expect(errorOf(outcome)).toMatchObject({ code: 'VARIABLES_LIMIT', limit: 1000, ran: 'no' });
  });

  test('a limit that is just enough is enough', async () => {
    const outcome = await executor().run({
      code: 'return "x".repeat(90)',
      limits: { resultBytes: 'safe:""'.length + 90 },
    });
    expect(valueOf(outcome)).toBe('x'.repeat(90));
  });

  test('the wall limit counts from the start of the run, not from the queue', async () => {
    const wallMs = await ampleWallMs(() => executor().run({ code: 'return 1' }));
    // The last of them wait longer than they may take.
    const busy = Array.from({ length: 6 }, () =>
      executor().run({
        code: 'await new Promise((resolve) => setTimeout(resolve, ms)); return 1',
        variables: { ms: 0.6 * wallMs },
        limits: { wallMs },
      }),
    );
    for (const outcome of await Promise.all(busy)) expect(valueOf(outcome)).toBe(1);
  });
});
