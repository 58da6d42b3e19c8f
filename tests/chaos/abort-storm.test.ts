import { Executor } from '@glovebox/core';
import { expect, test } from 'vitest';

import { burning } from '../support/burning.ts';
import { withGrace } from '../support/calibration.ts';
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

/** Processor time that hosts may still use, in milliseconds; a loop uses any time that there is. */
const REST_CPU_MS = 500;

test('runs aborted at any moment have one outcome each, and nothing of them stays', async () => {
  await using executor = new Executor({ hosts: 2, limits: { memoryMb: 32 } });
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
  await until(() => executor.stats().busySlots === 0);
  for (let n = 0; n < 10; n++) {
    expect(valueOf(await executor.run({ code: 'return n', variables: { n } }))).toBe(n);
  }
});

test('a run that was aborted ends within 250 ms, and burns no CPU afterwards', async () => {
  await using executor = new Executor({ hosts: 1, spareHosts: 1 });
  await until(() => executor.stats().spareHosts === 1);
  const loops = ['for (;;);', 'for (;;) await null', 'new Array(2 ** 32 - 1).indexOf(1, 5)'];
  for (const code of loops) {
    const controller = new AbortController();
    const begun = Promise.withResolvers<void>();
    const run = executor.run({
      code: `console.log("on"); ${code}`,
      signal: controller.signal,
      onLog: () => begun.resolve(),
    });
    await begun.promise;
    const { result, tookMs, graceMs } = await withGrace(() => {
      controller.abort();
      return run;
    });
    expect(errorOf(result).code).toBe('ABORTED');
    expect(tookMs).toBeLessThan(graceMs);
    await until(() => executor.stats().hosts === 1 && executor.stats().spareHosts === 1);
    expect(await burning(childrenOf(process.pid), REST_CPU_MS)).toEqual([]);
  }
});

test('a host that reads nothing fills its pipe, and is killed at the wall limit', async () => {
  await using executor = new Executor({ hosts: 1, spareHosts: 1 });
  await until(() => executor.stats().spareHosts === 1);
  const stopped = childrenOf(process.pid);
  for (const pid of stopped) process.kill(pid, 'SIGSTOP');
  const variables = { big: 'x'.repeat(8_000_000) };
  const { result, graceMs } = await withGrace(() =>
    executor.run({ code: 'return big.length', variables, limits: { wallMs: 300 } }),
  );
  expect(errorOf(result).code).toBe('WALL_LIMIT');
  expect(result.usage.wallMs).toBeLessThan(300 + graceMs);
  for (const pid of stopped) {
    try {
      process.kill(pid, 'SIGCONT');
    } catch {
      // It was killed already.
    }
  }
  expect(valueOf(await executor.run({ code: 'return big.length', variables }))).toBe(8_000_000);
});
