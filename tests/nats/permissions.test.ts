import path from 'node:path';

import { Executor } from '@glovebox/core';
import { nats } from '@glovebox/core/nats';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { describeNats, NatsServer, startWorker } from '../support/nats.ts';
import { valueOf } from '../support/pools.ts';
import { until } from '../support/processes.ts';

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

  /** Verbs of the JetStream API that a user may call on a stream; all others are refused. */
  const ALLOWED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
    'worker-1': {
      GLOVEBOX_default_default: [
        'STREAM.INFO.@',
        'CONSUMER.INFO.@.level-0',
        'CONSUMER.DURABLE.CREATE.@.level-0',
        'CONSUMER.CREATE.@.level-0',
        'CONSUMER.CREATE.@.level-0.filter',
        'CONSUMER.MSG.NEXT.@.level-0',
      ],
      OBJ_GLOVEBOX_default_default: ['STREAM.INFO.@', 'STREAM.MSG.GET.@', 'STREAM.PURGE.@'],
      GLOVEBOX_other_default: [],
      OBJ_GLOVEBOX_other_default: [],
    },
    executor: {
      GLOVEBOX_default_default: ['STREAM.MSG.DELETE.@'],
      OBJ_GLOVEBOX_default_default: ['STREAM.INFO.@', 'STREAM.MSG.GET.@', 'STREAM.PURGE.@'],
      GLOVEBOX_other_default: [],
      OBJ_GLOVEBOX_other_default: [],
    },
  };
  const VERBS = [
    'STREAM.CREATE.@',
    'STREAM.UPDATE.@',
    'STREAM.INFO.@',
    'STREAM.DELETE.@',
    'STREAM.PURGE.@',
    'STREAM.SNAPSHOT.@',
    'STREAM.RESTORE.@',
    'STREAM.PEER.REMOVE.@',
    'STREAM.LEADER.STEPDOWN.@',
    'STREAM.MSG.GET.@',
    'STREAM.MSG.DELETE.@',
    'DIRECT.GET.@',
    'DIRECT.GET.@.subject',
    'CONSUMER.NAMES.@',
    'CONSUMER.LIST.@',
    'CONSUMER.INFO.@.level-0',
    'CONSUMER.CREATE.@',
    'CONSUMER.CREATE.@.level-0',
    'CONSUMER.CREATE.@.level-0.filter',
    'CONSUMER.DURABLE.CREATE.@.level-0',
    'CONSUMER.DELETE.@.level-0',
    'CONSUMER.PAUSE.@.level-0',
    'CONSUMER.RESET.@.level-0',
    'CONSUMER.UNPIN.@.level-0',
    'CONSUMER.LEADER.STEPDOWN.@.level-0',
    'CONSUMER.MSG.NEXT.@.level-0',
  ];
  const STREAMLESS = ['STREAM.NAMES', 'STREAM.LIST', 'STREAM.TEMPLATE.CREATE.x', 'ACCOUNT.PURGE.x'];

  test.each(Object.keys(ALLOWED))(
    'let %s call these verbs of JetStream, and no other',
    async (user) => {
      const password = user === 'executor' ? 'executor-secret' : 'worker-secret';
      const connection = await connect(as(user, password, { inboxPrefix: `_INBOX.${user}` }));
      const refused = new Set<string>();
      void (async () => {
        for await (const status of connection.status()) {
          if (status.type !== 'error') continue;
          const subject = /Publish to "([^"]+)"/.exec(status.error.message)?.[1];
          if (subject !== undefined) refused.add(subject.slice('$JS.API.'.length));
        }
      })();
      const all = [
        ...Object.keys(ALLOWED[user] ?? {}).flatMap((stream) =>
          VERBS.map((verb) => verb.replace('@', stream)),
        ),
        ...STREAMLESS,
      ];
      // A body that no verb takes: what is allowed must do nothing here.
      for (const verb of all) connection.publish(`$JS.API.${verb}`, 'not JSON');
      await connection.flush();
      // Refusals come in order, so that this one is the last.
      connection.publish('$JS.API.LAST', '');
      await connection.flush();
      await until(() => refused.has('LAST'), 10_000);
      await connection.close();
      const allowed = Object.entries(ALLOWED[user] ?? {}).flatMap(([stream, verbs]) =>
        verbs.map((verb) => verb.replace('@', stream)),
      );
      expect(all.filter((verb) => !refused.has(verb)).toSorted()).toEqual(allowed.toSorted());
    },
  );

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
