import { Executor } from '@glovebox/core';
import { expect, test } from 'vitest';

import { errorOf, valueOf } from '../support/pools.ts';
import { childrenOf, until } from '../support/processes.ts';

const PROGRAMS = [
  'return 1',
  'for (;;);',
  'await new Promise(() => {})',
  'await tool(); return 1',
  'await Promise.all([tool(), tool(), tool()]); for (;;);',
  'const a = []; for (;;) a.push([1]);',
  'console.log("x"); await new Promise((resolve) => setTimeout(resolve, 3)); return 1',
  'const a: number = 1; return a',
];

/** CPU time that the processes have used, in clock ticks, from Linux's `/proc`. */
async function ticksOf(pids: readonly number[]): Promise<number> {
  const { readFile } = await import('node:fs/promises');
  let ticks = 0;
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  }
  return ticks;
}

test('runs aborted at any moment have one outcome each, and nothing of them stays', async () => {
  await using executor = new Executor({ hosts: 2, limits: { memoryMb: 32, wallMs: 3000 } });
  await executor.ready();
  const runs = Array.from({ length: 160 }, async (_, index) => {
    const controller = new AbortController();
    const code = PROGRAMS[index % PROGRAMS.length] ?? '';
    const run = executor.run({ code, signal: controller.signal, tools: { tool: async () => 1 } });
    const started = performance.now();
    const moment = (index * 7919) % 4000;
    // Spins up to the moment: timers are too coarse for microseconds.
    if (moment < 1000) {
      while (performance.now() - started < moment / 1000);
      controller.abort();
    } else {
      setTimeout(() => controller.abort(), moment / 20);
    }
    return run;
  });
  const outcomes = await Promise.all(runs);
  const codes = new Set(outcomes.map((outcome) => (outcome.ok ? 'value' : outcome.error.code)));
  expect([...codes].filter((code) => !['value', 'ABORTED', 'MEMORY_LIMIT'].includes(code))).toEqual(
    [],
  );
  expect(codes.has('ABORTED')).toBe(true);
  await until(() => executor.stats().busySlots === 0, 2000);
  for (let n = 0; n < 10; n++) {
    expect(valueOf(await executor.run({ code: 'return n', variables: { n } }))).toBe(n);
  }
});

test('a run that was aborted has stopped burning CPU within 300 ms', async () => {
  await using executor = new Executor({ hosts: 1, spareHosts: 1 });
  await until(() => executor.stats().spareHosts === 1, 10_000);
  const loops = ['for (;;);', 'for (;;) await null', 'new Array(2 ** 32 - 1).indexOf(1, 5)'];
  for (const code of loops) {
    const controller = new AbortController();
    const run = executor.run({ code, signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    const outcome = await run;
    expect(errorOf(outcome).code).toBe('ABORTED');
    expect(outcome.usage.wallMs).toBeLessThan(100 + 300);
    await until(() => executor.stats().hosts === 1 && executor.stats().spareHosts === 1, 10_000);
    const before = await ticksOf(childrenOf(process.pid));
    await new Promise((resolve) => {
      setTimeout(resolve, 500);
    });
    // A loop would use 50 ticks of 10 ms in that time.
    expect((await ticksOf(childrenOf(process.pid))) - before).toBeLessThan(15);
  }
});

test('a host that reads nothing fills its pipe, and is killed at the wall limit', async () => {
  await using executor = new Executor({ hosts: 1, spareHosts: 1 });
  await until(() => executor.stats().spareHosts === 1, 10_000);
  const stopped = childrenOf(process.pid);
  for (const pid of stopped) process.kill(pid, 'SIGSTOP');
  const variables = { big: 'x'.repeat(8_000_000) };
  const outcome = await executor.run({
    code: 'return big.length',
    variables,
    limits: { wallMs: 300 },
  });
  expect(errorOf(outcome).code).toBe('WALL_LIMIT');
  expect(outcome.usage.wallMs).toBeLessThan(550);
  for (const pid of stopped) {
    try {
      process.kill(pid, 'SIGCONT');
    } catch {
      // It was killed already.
    }
  }
  expect(valueOf(await executor.run({ code: 'return big.length', variables }))).toBe(8_000_000);
});
