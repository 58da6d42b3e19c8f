import { Executor } from '@glovebox/core';
import { afterEach, expect, test, vi } from 'vitest';

import { errorOf, valueOf } from '../support/pools.ts';
import { childrenOf, until } from '../support/processes.ts';

/** V8 cannot interrupt it: only the death of its host ends it. */
const UNSTOPPABLE = 'const a = []; a[2 ** 31] = 1; a.indexOf(2); return 1';

afterEach(() => {
  vi.useRealTimers();
});

test('a run that had no effect is run again when its host was lost, alone', async () => {
  await using executor = new Executor({ hosts: 1, spareHosts: 1, slotsPerHost: 2 });
  await until(() => executor.stats().spareHosts === 1);
  // It waits for a moment long after the end of the other one, whenever it is begun.
  const innocent = executor.run({
    code: 'await new Promise((resolve) => setTimeout(resolve, at - Date.now())); return "innocent"',
    variables: { at: Date.now() + 2500 },
  });
  const culprit = await executor.run({ code: UNSTOPPABLE, limits: { wallMs: 200 } });
  expect(errorOf(culprit).code).toBe('WALL_LIMIT');
  const outcome = await innocent;
  expect(valueOf(outcome)).toBe('innocent');
  expect(outcome.usage.hostId).not.toBe(culprit.usage.hostId);
  expect(executor.stats().hostsLost).toBe(1);
});

test('a run that called a tool is not run again, and is told that it may have run', async () => {
  await using executor = new Executor({ hosts: 1, spareHosts: 1, slotsPerHost: 2 });
  await until(() => executor.stats().spareHosts === 1);
  let calls = 0;
  const innocent = executor.run({
    code: 'await pay(); await new Promise(() => {})',
    tools: { pay: () => ++calls },
  });
  await until(() => calls === 1);
  const culprit = executor.run({ code: UNSTOPPABLE, limits: { wallMs: 200 } });
  expect(errorOf(await culprit).code).toBe('WALL_LIMIT');
  expect(errorOf(await innocent)).toMatchObject({
    code: 'HOST_LOST',
    ran: 'maybe',
    retryable: false,
  });
  expect(calls).toBe(1);
});

test('a run whose host is lost twice is told so', async () => {
  await using executor = new Executor({ hosts: 1, spareHosts: 0 });
  await executor.ready();
  const run = executor.run({ code: 'for (;;);' });
  for (let death = 0; death < 2; death++) {
    await until(() => executor.stats().busySlots === 1);
    for (const pid of childrenOf(process.pid)) process.kill(pid, 'SIGKILL');
    await until(() => executor.stats().hostsLost === death + 1);
  }
  expect(errorOf(await run)).toMatchObject({ code: 'HOST_LOST', ran: 'maybe' });
});

test('code that kills hosts again and again is kept out for a while', async () => {
  await using executor = new Executor({
    hosts: 1,
    spareHosts: 1,
    limits: { wallMs: 150 },
    quarantine: { kills: 2, withinMs: 60_000, forMs: 60_000 },
  });
  const run = (): ReturnType<Executor['run']> => executor.run({ code: UNSTOPPABLE });
  for (let kill = 0; kill < 2; kill++) expect(errorOf(await run()).code).toBe('WALL_LIMIT');
  expect(errorOf(await run())).toMatchObject({ code: 'QUARANTINED', ran: 'no', used: 2 });
  expect(executor.stats().hostsLost).toBe(2);
  const [entry] = executor.quarantine?.list() ?? [];
  expect(entry).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), kills: 2 });
  // Other code is let in meanwhile.
  expect(valueOf(await executor.run({ code: 'return 1', limits: { wallMs: 30_000 } }))).toBe(1);
  // It is let in again after its time, or when somebody says so.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_001 });
  expect(errorOf(await run()).code).toBe('WALL_LIMIT');
  expect(errorOf(await run()).code).toBe('WALL_LIMIT');
  expect(errorOf(await run()).code).toBe('QUARANTINED');
  executor.quarantine?.clear(entry?.hash);
  expect(errorOf(await run()).code).toBe('WALL_LIMIT');
});

test('hosts killed for their memory do not count', async () => {
  await using executor = new Executor({ hosts: 1, quarantine: { kills: 1 } });
  const code = 'new Array(2 ** 32 - 1).fill(0)';
  for (let kill = 0; kill < 2; kill++) {
    const outcome = await executor.run({ code, limits: { memoryMb: 32 } });
    expect(errorOf(outcome).code).toBe('MEMORY_LIMIT');
  }
});
