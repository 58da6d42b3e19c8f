import { Executor } from '@glovebox/core';
import { nats } from '@glovebox/core/nats';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { Batch } from '../support/nats-batch.ts';
import { NatsCluster } from '../support/nats-cluster.ts';
import { WorkerProcess } from '../support/nats-worker.ts';
import { describeNats } from '../support/nats.ts';
import { valueOf } from '../support/pools.ts';
import { until } from '../support/processes.ts';

const STREAM = 'GLOVEBOX_default_default';
/** Servers take up to ten seconds to elect another leader in place of one that fell silent. */
const DEADLINE = 240_000;
const IN_FLIGHT = 8;
const WALL_MS = 5000;

describeNats('a cluster of three servers', () => {
  let stack: AsyncDisposableStack;
  let cluster: NatsCluster;
  beforeEach(async () => {
    stack = new AsyncDisposableStack();
    cluster = stack.use(await NatsCluster.start());
  });
  afterEach(() => stack.disposeAsync());

  /** A worker that knows all servers, and an executor that knows these; both have run something. */
  async function startOver(known: (leader: string) => string[]): Promise<Executor> {
    const flags = ['--storage', 'file', '--replicas', '3', '--slots', '4'];
    stack.use(await WorkerProcess.start(cluster.urls.join(','), 'w1', flags));
    const servers = known(await cluster.complete(STREAM));
    const executor = stack.use(new Executor({ pool: nats({ servers }) }));
    // What is only made when a run has tools is there as well.
    const tools = { one: () => 1 };
    expect(valueOf(await executor.run({ code: 'return one()', tools }))).toBe(1);
    return executor;
  }

  test(
    'the one that leads, and that the executor was told of, dies under 200 runs',
    { timeout: DEADLINE },
    async () => {
      // It learns of the others from the one.
      const executor = await startOver((leader) => [cluster.server(leader).url]);
      const leader = cluster.server(await cluster.complete(STREAM));
      const batch = new Batch(executor, () => false, WALL_MS);
      const running = batch.run(200, IN_FLIGHT);
      await until(() => batch.done >= 50, DEADLINE);
      await leader.kill();
      await running;
      expect(batch.faults(200)).toEqual([]);
      expect(batch.lost).toBeLessThanOrEqual(IN_FLIGHT);
      expect(batch.lostBefore).toBe(0);
      expect(valueOf(await executor.run({ code: 'return 7' }))).toBe(7);
    },
  );

  test('all are restarted, one after the other', { timeout: DEADLINE }, async () => {
    const executor = await startOver(() => cluster.urls);
    const batches: Batch[] = [];
    const restarted = new AbortController();
    const run = async (): Promise<void> => {
      const batch = new Batch(executor, () => false, WALL_MS);
      batches.push(batch);
      await batch.run(100, IN_FLIGHT);
      if (!restarted.signal.aborted) await run();
    };
    const running = run();
    for (const name of cluster.names) {
      await cluster.complete(STREAM);
      await cluster.server(name).kill('SIGTERM');
      await cluster.server(name).run();
    }
    restarted.abort();
    await running;
    expect(batches.flatMap((batch) => batch.faults(100))).toEqual([]);
    const lost = batches.reduce((sum, batch) => sum + batch.lost, 0);
    expect(lost).toBeLessThanOrEqual(3 * IN_FLIGHT);
    expect(batches.every(({ lostBefore }) => lostBefore === 0)).toBe(true);
    expect(valueOf(await executor.run({ code: 'return 7' }))).toBe(7);
  });
});
