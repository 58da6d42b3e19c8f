import path from 'node:path';

import { Executor } from '@glovebox/core';
import { nats } from '@glovebox/core/nats';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { describeNats, NatsServer, startWorker } from '../support/nats.ts';
import { valueOf } from '../support/pools.ts';

const CONFIG = path.join(import.meta.dirname, '../../deploy/nats/permissions.conf');
const PASSWORDS = {
  OWNER_PASSWORD: 'owner-secret',
  EXECUTOR_PASSWORD: 'executor-secret',
  WORKER_PASSWORD: 'worker-secret',
};

describeNats('the permissions in deploy/', () => {
  let server: NatsServer;
  const as = (user: string, pass: string, more: object = {}) => ({
    servers: server.url,
    user,
    pass,
    ...more,
  });
  beforeAll(async () => {
    server = await NatsServer.start(['-c', CONFIG], PASSWORDS);
    const owner = await startWorker(server.url, {
      servers: as('owner', 'owner-secret'),
      name: 'owner',
    });
    await owner.close();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('are enough for runs, with tools, sessions, large values and runs within runs', async () => {
    const errors: unknown[] = [];
    const worker = await startWorker(server.url, {
      servers: as('worker-1', 'worker-secret'),
      name: 'worker-1',
      onEvent: (event) => {
        if (event.type !== 'run') errors.push(event);
      },
    });
    const executor = new Executor({ pool: nats({ servers: as('executor', 'executor-secret') }) });
    try {
      const large = 'x'.repeat(2 ** 20);
      const outcome = await executor.run({
        code: 'return (await inner(large)).length',
        variables: { large },
        tools: {
          inner: async (input: unknown) =>
            valueOf(await executor.run({ code: 'return input + "!"', variables: { input } })),
        },
        limits: { toolArgBytes: 2 ** 21 },
      });
      expect(valueOf(outcome)).toBe(2 ** 20 + 1);
      await using session = await executor.openSession();
      expect(valueOf(await session.run({ code: 'return 1' }))).toBe(1);
      expect(errors).toEqual([]);
    } finally {
      await executor.close();
      await worker.close();
    }
  });

  test.each([
    ['hear what others are told', 'subscribe', 'glovebox.default.default.event.>'],
    ['hear what other workers are told', 'subscribe', 'glovebox.default.default.command.worker-2'],
    ['hear jobs without taking them', 'subscribe', 'glovebox.default.default.job.*'],
    ['hear what another tenant is told', 'subscribe', 'glovebox.other.default.event.>'],
    ['read the answers of others', 'subscribe', '_INBOX.>'],
    ['speak in the name of another', 'publish', 'glovebox.default.default.event.e.j.worker-2.1'],
    ['say that another one is there', 'publish', 'glovebox.default.default.hello.worker-2'],
    ['give jobs', 'publish', 'glovebox.default.default.job.0'],
    ['command another worker', 'publish', 'glovebox.default.default.command.worker-2'],
    ['read jobs', 'publish', '$JS.API.STREAM.MSG.GET.GLOVEBOX_default_default'],
    ['delete jobs', 'publish', '$JS.API.STREAM.PURGE.GLOVEBOX_default_default'],
    ['take jobs of others', 'publish', '$JS.API.CONSUMER.MSG.NEXT.GLOVEBOX_other_default.level-0'],
  ])('do not let a worker %s', async (_what, kind, subject) => {
    const connection = await connect(
      as('worker-1', 'worker-secret', { inboxPrefix: '_INBOX.worker-1' }),
    );
    const refused = Promise.withResolvers<string>();
    void (async () => {
      for await (const status of connection.status()) {
        if (status.type === 'error') refused.resolve(status.error.message);
      }
    })();
    if (kind === 'subscribe') connection.subscribe(subject, { callback: () => undefined });
    else connection.publish(subject, '{}');
    await connection.flush();
    expect(await refused.promise).toContain('Permissions Violation');
    await connection.close();
  });
});
