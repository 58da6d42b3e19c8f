import { setTimeout as delay } from 'node:timers/promises';

import { Executor } from '@glovebox/core';
import { expect, test } from 'vitest';

import { childrenOf, until } from '../support/processes.ts';

const hosts = (): number => childrenOf(process.pid).length;

test('an idle pool shrinks to minHosts, and a burst brings all hosts back at once', async () => {
  await using executor = new Executor({ hosts: 2, spareHosts: 1, minHosts: 1, idleMs: 300 });
  await until(() => hosts() === 3);
  await until(() => hosts() === 1);
  expect(executor.stats()).toMatchObject({ hosts: 1, spareHosts: 0, hostsLost: 0 });

  // One run finds the host that is there; nothing is started for it.
  expect(await executor.run({ code: 'return 1' })).toMatchObject({ ok: true, value: 1 });
  expect(hosts()).toBe(1);

  const burst = Array.from({ length: 8 }, (_, n) => executor.run({ code: `return ${n}` }));
  await delay(0);
  expect(hosts()).toBe(3);
  const values = (await Promise.all(burst)).map((outcome) => outcome.ok && outcome.value);
  expect(values).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  await until(() => hosts() === 1);
});

test('a pool that shrinks to nothing starts again for a run, and for whoever waits for it', async () => {
  await using executor = new Executor({ hosts: 1, spareHosts: 1, minHosts: 0, idleMs: 200 });
  await executor.ready();
  await until(() => hosts() === 0);
  expect(await executor.run({ code: 'return 2' })).toMatchObject({ ok: true, value: 2 });
  await until(() => hosts() === 0);
  await executor.ready();
  expect(executor.stats().hosts).toBe(1);
});

test('a long run is no idleness', async () => {
  await using executor = new Executor({ hosts: 1, spareHosts: 0, minHosts: 0, idleMs: 100 });
  const outcome = await executor.run({
    code: 'await new Promise((done) => setTimeout(done, 600)); return 3',
  });
  expect(outcome).toMatchObject({ ok: true, value: 3 });
});
