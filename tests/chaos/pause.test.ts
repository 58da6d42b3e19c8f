import { setTimeout as delay } from 'node:timers/promises';

import { Executor } from '@glovebox/core';
import type { ToolContext } from '@glovebox/core';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { errorOf, valueOf } from '../support/pools.ts';
import { childrenOf, until } from '../support/processes.ts';

let executor: Executor;
beforeEach(async () => {
  executor = new Executor({ hosts: 1, spareHosts: 1 });
  await executor.ready();
  await until(() => executor.stats().spareHosts === 1);
});
afterEach(() => executor.close());

/** A run that waits for a person, once it does so. */
async function waitForPerson(wallMs: number) {
  const asked = Promise.withResolvers<void>();
  const person = Promise.withResolvers<string>();
  const outcome = executor.run({
    code: 'return ask()',
    tools: {
      ask: (_input: unknown, { pauseWallClock }: ToolContext) => {
        asked.resolve();
        return pauseWallClock(() => person.promise);
      },
    },
    limits: { wallMs },
  });
  await asked.promise;
  return { outcome, answer: person.resolve };
}

test('a host that dies while a person is waited for is told as lost at once', async () => {
  const { outcome, answer } = await waitForPerson(60_000);
  let isTold = false;
  void outcome.then(() => (isTold = true));
  for (const pid of childrenOf(process.pid)) process.kill(pid, 'SIGKILL');
  await until(() => executor.stats().hostsLost === 2);
  expect(isTold).toBe(true);
  expect(errorOf(await outcome)).toMatchObject({ code: 'HOST_LOST', ran: 'maybe' });
  answer('too late');
  expect(valueOf(await executor.run({ code: 'return 1' }))).toBe(1);
});

/** What the first run of a host takes, from the start of the host on, while another one starts. */
async function coldRunMs(): Promise<number> {
  await using cold = new Executor({ hosts: 1, spareHosts: 1 });
  const startedAt = performance.now();
  expect(valueOf(await cold.run({ code: 'return 1' }))).toBe(1);
  return performance.now() - startedAt;
}

test('runs wait in the queue meanwhile, and a lost host is made good for them', async () => {
  const wallMs = Math.ceil(Math.max(1000, 3 * (await coldRunMs())));
  const { outcome, answer } = await waitForPerson(wallMs);
  const next = executor.run({ code: 'return 2', limits: { wallMs } });
  await until(() => executor.stats().queued === 1);
  // Longer than either run may take.
  await delay(1.2 * wallMs);
  for (const pid of childrenOf(process.pid)) process.kill(pid, 'SIGKILL');
  expect(errorOf(await outcome).code).toBe('HOST_LOST');
  expect(valueOf(await next)).toBe(2);
  answer('too late');
});
