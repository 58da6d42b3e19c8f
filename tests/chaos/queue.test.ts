import { Executor } from '@glovebox/core';
import { expect, test } from 'vitest';

import { errorOf, valueOf } from '../support/pools.ts';

/** A run that lasts until it is let go. */
function hold(executor: Executor) {
  const release = Promise.withResolvers<number>();
  const outcome = executor.run({ code: 'return hold()', tools: { hold: () => release.promise } });
  return { outcome, release: () => release.resolve(1) };
}

test('a full queue refuses at once', async () => {
  await using executor = new Executor({ hosts: 1, spareHosts: 0, maxQueue: 2 });
  await executor.ready();
  const { outcome: first, release } = hold(executor);
  const waiting = [2, 3].map((value) => executor.run({ code: `return ${value}` }));
  expect(errorOf(await executor.run({ code: 'return 4' }))).toMatchObject({
    code: 'QUEUE_FULL',
    limit: 2,
    ran: 'no',
    retryable: true,
  });
  release();
  expect((await Promise.all([first, ...waiting])).map(valueOf)).toEqual([1, 2, 3]);
});

test('a run that waits too long is told', async () => {
  await using executor = new Executor({ hosts: 1, spareHosts: 0, queueMs: 100 });
  await executor.ready();
  const { outcome: first, release } = hold(executor);
  const outcome = await executor.run({ code: 'return 2' });
  release();
  expect(errorOf(outcome)).toMatchObject({ code: 'QUEUE_TIMEOUT', limit: 100, ran: 'no' });
  expect(outcome.usage.queueMs).toBeGreaterThan(95);
  expect(valueOf(await first)).toBe(1);
});

test('runs start in the order in which they came', async () => {
  await using executor = new Executor({ hosts: 1, spareHosts: 0 });
  const order: number[] = [];
  const runs = Array.from({ length: 30 }, (_, n) =>
    executor.run({
      code: 'await mark(n)',
      variables: { n },
      tools: { mark: (turn: number) => order.push(turn) },
    }),
  );
  await Promise.all(runs);
  expect(order).toEqual(Array.from({ length: 30 }, (_, n) => n));
});
