import { Executor } from '@glovebox/core';
import { expect, test } from 'vitest';

import { errorOf, valueOf } from '../support/pools.ts';

const SLEEP = 'await new Promise((resolve) => setTimeout(resolve, 300)); return 1';

test('a full queue refuses at once', async () => {
  await using executor = new Executor({ hosts: 1, spareHosts: 0, maxQueue: 2 });
  await executor.ready();
  const runs = Array.from({ length: 4 }, () => executor.run({ code: SLEEP }));
  expect(errorOf(await (runs[3] as (typeof runs)[0]))).toMatchObject({
    code: 'QUEUE_FULL',
    limit: 2,
    ran: 'no',
    retryable: true,
  });
  for (const run of runs.slice(0, 3)) expect(valueOf(await run)).toBe(1);
});

test('a run that waits too long is told', async () => {
  await using executor = new Executor({ hosts: 1, spareHosts: 0, queueMs: 100 });
  await executor.ready();
  const [first, second] = [1, 2].map(() => executor.run({ code: SLEEP }));
  if (first === undefined || second === undefined) throw new Error('two runs');
  const outcome = await second;
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
