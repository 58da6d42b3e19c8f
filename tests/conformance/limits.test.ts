import type { LimitsInput } from '@glovebox/core';
import { expect, test } from 'vitest';

import { ampleWallMs, GRACE_MS, withGrace } from '../support/calibration.ts';
import { describeEachPool, errorOf, valueOf } from '../support/pools.ts';

const WALL_MS = 200;

const never = (): Promise<never> => new Promise(() => undefined);

/** A program, and how it must end. */
type Entry = readonly [name: string, code: string, limits: LimitsInput, expected: object];

const ofTime = (name: string, code: string): Entry => [
  name,
  code,
  { wallMs: WALL_MS },
  { error: { code: 'WALL_LIMIT', limit: WALL_MS, ran: 'yes' } },
];

/** One for each limit that a program meets while it runs. */
const LIMITS: readonly Entry[] = [
  ofTime('an endless loop', 'for (;;);'),
  [
    'a loop with less CPU time than wall time',
    'for (;;);',
    { cpuMs: 100 },
    { error: { code: 'CPU_LIMIT', limit: 100 } },
  ],
  [
    'waiting, which costs no CPU time',
    'await new Promise((resolve) => setTimeout(resolve, 300)); return "waited"',
    { cpuMs: 100 },
    { value: 'waited' },
  ],
  [
    'a heap that grows',
    'const all = []; for (;;) all.push({ a: [1, 2, 3] });',
    { memoryMb: 32 },
    { error: { code: 'MEMORY_LIMIT', limit: 32 * 2 ** 20 } },
  ],
];

/** Further ways to take time. Threads and processes meet these and more in `tests/attacks`. */
const WAYS: readonly Entry[] = [
  ofTime('a promise that never settles', 'await new Promise(() => {})'),
  ofTime('a tool that never settles', 'await never()'),
  ofTime('endless microtasks', 'for (;;) await null'),
  ofTime('a loop after an awaited tool', 'await quick(); for (;;);'),
  ofTime('a loop in a timer', 'setTimeout(() => { for (;;); }, 1); await new Promise(() => {})'),
  ofTime(
    'a loop in a stack getter',
    'const e = new Error(); Object.defineProperty(e, "stack", { get() { for (;;); } }); throw e',
  ),
  ofTime('a loop in a result getter', 'return { get a() { for (;;); } }'),
  ofTime('a loop in finally', 'try { for (;;); } finally { for (;;); }'),
  ofTime('a catastrophic regular expression', '/^(a+)+$/.test("a".repeat(40) + "b")'),
];

describeEachPool('limits', (executor, pool) => {
  test('a program ends at the limit that it meets, and in time', async () => {
    const programs = pool === 'nats' ? [...LIMITS, ...WAYS] : LIMITS;
    const { result: outcomes, graceMs } = await withGrace(() =>
      Promise.all(
        programs.map(([, code, limits]) =>
          executor().run({ code, limits, tools: { never, quick: () => 1 } }),
        ),
      ),
    );
    const table = outcomes.map((outcome, at) => ({ program: programs[at]?.[0], ...outcome }));
    expect(table).toMatchObject(programs.map(([program, , , end]) => ({ program, ...end })));
    const wallTimes = outcomes
      .filter((outcome) => !outcome.ok && outcome.error.code === 'WALL_LIMIT')
      .map(({ usage }) => usage.wallMs);
    // The word of the start of a run comes as late as the machine makes it.
    const earlyMs = 10 + graceMs - GRACE_MS;
    expect(Math.min(...wallTimes)).toBeGreaterThanOrEqual(WALL_MS - earlyMs);
    expect(Math.max(...wallTimes)).toBeLessThan(WALL_MS + graceMs);
    // A busy machine gives a loop but a share of the time.
    const [free, ofCpu] = outcomes.map(({ usage }) => usage);
    const share = Math.min(1, Math.max(free?.cpuMs ?? 0, 1) / (free?.wallMs ?? 0));
    expect(ofCpu?.wallMs).toBeLessThan(1000 / share);
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
