import { Executor } from '@glovebox/core';
import { expect, test } from 'vitest';

import { errorOf, valueOf } from '../support/pools.ts';
import { until } from '../support/processes.ts';

/** Leaves memory behind in its host: V8 does not give all of it back. */
const FILL = 'const all = []; for (;;) all.push({ a: [1, 2, 3] });';

test('a host is replaced after its number of runs, and nobody waits for it', async () => {
  await using executor = new Executor({ hosts: 1, spareHosts: 1, runsPerHost: 10 });
  const startedAt = performance.now();
  await executor.ready();
  const bootMs = performance.now() - startedAt;
  const hosts = new Set<string>();
  for (let n = 0; n < 45; n++) {
    await until(() => executor.stats().spareHosts === 1);
    const outcome = await executor.run({ code: 'return n', variables: { n } });
    expect(valueOf(outcome)).toBe(n);
    expect(outcome.usage.queueMs).toBeLessThan(bootMs / 2);
    hosts.add(outcome.usage.hostId);
  }
  expect(executor.stats().hostsRecycled).toBeGreaterThanOrEqual(2);
  expect(executor.stats().hostsLost).toBe(0);
  expect(hosts.size).toBeGreaterThanOrEqual(4);
});

test('a host that has grown is replaced', async () => {
  await using executor = new Executor({ hosts: 1, spareHosts: 1 });
  await until(() => executor.stats().spareHosts === 1);
  const outcome = await executor.run({ code: FILL, limits: { memoryMb: 256 } });
  expect(errorOf(outcome).code).toBe('MEMORY_LIMIT');
  await until(() => executor.stats().hostsRecycled + executor.stats().hostsLost === 1);
  expect(valueOf(await executor.run({ code: 'return 1' }))).toBe(1);
});

test('without a spare the old host stays until another one is ready', async () => {
  await using executor = new Executor({ hosts: 1, spareHosts: 0, runsPerHost: 2 });
  for (let n = 0; n < 6; n++) {
    expect(valueOf(await executor.run({ code: 'return n', variables: { n } }))).toBe(n);
  }
});
