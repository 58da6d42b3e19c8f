import { setTimeout as delay } from 'node:timers/promises';

import { Executor } from '@glovebox/core';
import { nats } from '@glovebox/core/nats';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { Batch } from '../support/nats-batch.ts';
import { WorkerProcess } from '../support/nats-worker.ts';
import { describeNats, NatsServer } from '../support/nats.ts';
import { until } from '../support/processes.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

const DEADLINE = 240_000;

describeNats('three workers over NATS', () => {
  let stack: AsyncDisposableStack;
  let server: NatsServer;
  let workers: WorkerProcess[];
  beforeEach(async () => {
    stack = new AsyncDisposableStack();
    server = stack.use(await NatsServer.start());
  });
  afterEach(() => stack.disposeAsync());

  async function startWorkers(urls: readonly string[], storage = 'file'): Promise<void> {
    const flags = ['--storage', storage, '--lease', '2s'];
    workers = await Promise.all(
      urls.map((url, index) => WorkerProcess.start(url, `w${index + 1}`, flags)),
    );
    for (const worker of workers) stack.use(worker);
  }

  test(
    '2 000 runs, one in twenty hostile, while workers are killed and stand still',
    { timeout: DEADLINE },
    async () => {
      await startWorkers([server.url, server.url, server.url]);
      const executor = stack.use(new Executor({ pool: nats({ servers: server.url }) }));
      const batch = new Batch(executor, (n) => n % 20 === Math.floor(n / 20) % 20);
      const running = batch.run(2000, 32);
      const [first, second] = workers;
      await until(() => batch.done >= 200, DEADLINE);
      await first?.end('SIGKILL');
      await until(() => batch.done >= 400, DEADLINE);
      stack.use(await WorkerProcess.start(server.url, 'w4', ['--lease', '2s']));
      second?.child.kill('SIGSTOP');
      await until(() => batch.done >= 700, DEADLINE);
      second?.child.kill('SIGCONT');
      await running;
      expect(batch.faults(2000)).toEqual([]);
      // One of each worker at most was under way, and had an effect perhaps.
      expect(batch.lost).toBeLessThanOrEqual(4);
    },
  );

  test.each([
    ['with its files', 'file'],
    ['without memory of what was', 'memory'],
  ])('a server that restarts %s', { timeout: DEADLINE }, async (_what, storage) => {
    await startWorkers([server.url, server.url, server.url], storage);
    const executor = stack.use(new Executor({ pool: nats({ servers: server.url }) }));
    const batch = new Batch(executor, () => false);
    const running = batch.run(600, 16);
    await until(() => batch.done >= 100, DEADLINE);
    await server.kill();
    await delay(1000);
    await server.run();
    await running;
    expect(batch.faults(600)).toEqual([]);
    // What was said while nobody was connected is lost, for those that were under way.
    expect(batch.lost).toBeLessThanOrEqual(16);
  });

  test('a worker whose network is cut', { timeout: DEADLINE }, async () => {
    const proxy = stack.use(await TcpProxy.start(server.port));
    await startWorkers([proxy.url, server.url, server.url]);
    const executor = stack.use(new Executor({ pool: nats({ servers: server.url }) }));
    const batch = new Batch(executor, () => false);
    const running = batch.run(600, 16);
    await until(() => batch.done >= 100, DEADLINE);
    proxy.cut();
    await delay(3000);
    proxy.mend();
    await running;
    expect(batch.faults(600)).toEqual([]);
    expect(batch.lost).toBeLessThanOrEqual(1);
    // It comes back, and takes jobs again.
    const seen = new Set<string>();
    await expect
      .poll(async () => {
        const { usage } = await executor.run({ code: 'return 1' });
        seen.add(usage.hostId.split('/')[0] ?? '');
        return seen.size;
      })
      .toBe(3);
  });
});
