import { Executor } from '@glovebox/core';
import { nats } from '@glovebox/core/nats';
import { describe, expect, test } from 'vitest';

import { WorkerProcess } from '../support/nats-worker.ts';
import { describeNats, NatsServer } from '../support/nats.ts';
import { valueOf } from '../support/pools.ts';
import { until } from '../support/processes.ts';
import { runScript } from '../support/script.ts';

async function get(port: number, path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, text: await response.text() };
}

describe('glovebox worker', () => {
  test('says how it is used', async () => {
    const help = await runScript('packages/core/src/cli/bin.ts', ['worker', '--help']);
    expect(help.code).toBe(0);
    for (const flag of ['--nats', '--slots', '--health', '--lease', '--creds', '--tls-ca']) {
      expect(help.stdout).toContain(flag);
    }
    const misuse = await runScript('packages/core/src/cli/bin.ts', ['worker']);
    expect(misuse).toMatchObject({ code: 2 });
  });

  describeNats('with a server', () => {
    test('runs jobs, tells its health and its figures, and lets runs end on SIGTERM', async () => {
      await using server = await NatsServer.start();
      const port = server.port + 1;
      await using worker = await WorkerProcess.start(server.url, 'w1', ['--health', `${port}`]);
      expect(await get(port, '/healthz')).toEqual({ status: 200, text: 'ok\n' });
      expect(await get(port, '/readyz')).toEqual({ status: 200, text: 'ready\n' });
      expect(await get(port, '/nothing')).toMatchObject({ status: 404 });

      await using executor = new Executor({ pool: nats({ servers: server.url }) });
      expect(valueOf(await executor.run({ code: 'return 1' }))).toBe(1);
      const { text } = await get(port, '/metrics');
      expect(text).toContain('glovebox_worker_runs_total{end="value"} 1\n');
      expect(text).toContain(
        '# TYPE glovebox_worker_connected gauge\nglovebox_worker_connected 1\n',
      );

      const begun = Promise.withResolvers<void>();
      const release = Promise.withResolvers<number>();
      const running = executor.run({
        code: 'return hold()',
        tools: { hold: () => (begun.resolve(), release.promise) },
      });
      await begun.promise;
      worker.child.kill('SIGTERM');
      await until(() => worker.output.includes('"event":"draining"'));
      expect(await get(port, '/readyz')).toEqual({ status: 503, text: 'draining\n' });
      release.resolve(7);
      expect(valueOf(await running)).toBe(7);
      await until(() => worker.isGone);
      expect(worker.child.exitCode).toBe(0);
      for (const line of worker.output.trim().split('\n')) {
        expect(JSON.parse(line)).toMatchObject({ time: expect.any(String), level: 'info' });
      }
    });

    test('a drained worker leaves what comes to others, and nobody left is told at once', async () => {
      await using server = await NatsServer.start();
      await using first = await WorkerProcess.start(server.url, 'w1');
      await using second = await WorkerProcess.start(server.url, 'w2');
      await using executor = new Executor({ pool: nats({ servers: server.url }) });
      await executor.ready();
      expect(await first.end('SIGTERM')).toBe(0);
      const outcome = await executor.run({ code: 'return 1' });
      expect(outcome.usage.hostId).toMatch(/^w2\//);
      expect(await second.end('SIGTERM')).toBe(0);
      const refused = await executor.run({ code: 'return 1' });
      expect(refused).toMatchObject({ ok: false, error: { code: 'HOST_LOST', ran: 'no' } });
      expect(refused.usage.wallMs).toBe(0);
    });
  });
});
