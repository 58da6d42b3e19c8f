import { Executor } from '@glovebox/core';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { withGrace } from '../support/calibration.ts';
import { errorOf, valueOf } from '../support/pools.ts';
import { childrenOf, until } from '../support/processes.ts';

let executor: Executor;
beforeEach(async () => {
  executor = new Executor({ hosts: 1, spareHosts: 1 });
  await executor.ready();
  await until(() => executor.stats().spareHosts === 1);
});
afterEach(() => executor.close());

test('a host killed from outside is told as lost, with what may have run', async () => {
  const running = Promise.withResolvers<void>();
  const run = executor.run({
    code: 'console.log("on"); for (;;);',
    onLog: () => running.resolve(),
  });
  await running.promise;
  for (const pid of childrenOf(process.pid)) process.kill(pid, 'SIGKILL');
  expect(errorOf(await run)).toMatchObject({ code: 'HOST_LOST', ran: 'maybe', retryable: false });
  expect(valueOf(await executor.run({ code: 'return 1' }))).toBe(1);
});

test('a stopped host is killed at the wall limit', async () => {
  const running = Promise.withResolvers<void>();
  const run = executor.run({
    code: 'console.log("on"); await new Promise(() => {})',
    limits: { wallMs: 500 },
    onLog: () => running.resolve(),
  });
  await running.promise;
  const hosts = childrenOf(process.pid);
  for (const pid of hosts) process.kill(pid, 'SIGSTOP');
  const { result, graceMs } = await withGrace(() => run);
  expect(errorOf(result).code).toBe('WALL_LIMIT');
  expect(result.usage.wallMs).toBeLessThan(500 + graceMs);
  for (const pid of hosts) {
    try {
      process.kill(pid, 'SIGCONT');
    } catch {
      // Killed already, as it should be.
    }
  }
});

test('a host that was killed for its run is replaced by the spare at once', async () => {
  const outcome = await executor.run({
    code: 'new Array(2 ** 32 - 1).fill(0)',
    limits: { wallMs: 200 },
  });
  expect(errorOf(outcome).code).toBe('WALL_LIMIT');
  const killedAt = performance.now();
  const next = await executor.run({ code: 'return 1' });
  expect(valueOf(next)).toBe(1);
  await until(() => executor.stats().spareHosts === 1);
  // The one that takes the spare host's place was started at the kill.
  expect(next.usage.queueMs).toBeLessThan((performance.now() - killedAt) / 2);
  expect(executor.stats()).toMatchObject({ hosts: 1, spareHosts: 1, hostsLost: 1 });
});

test('the death of its host costs a session its state', async () => {
  await using session = await executor.openSession();
  valueOf(await session.run({ code: 'globalThis.kept = 1' }));
  for (const pid of childrenOf(process.pid)) process.kill(pid, 'SIGKILL');
  await until(() => executor.stats().sessions === 0);
  expect(errorOf(await session.run({ code: 'return kept' })).code).toBe('SESSION_LOST');
});
