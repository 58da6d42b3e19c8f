import { Executor } from '@glovebox/core';
import { nats } from '@glovebox/core/nats';
import { connect } from '@nats-io/transport-node';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { WorkerProcess } from '../support/nats-worker.ts';
import { describeNats, NatsServer } from '../support/nats.ts';
import { errorOf, valueOf } from '../support/pools.ts';

/** Both use the tenant `default` and the pool `default`: only their accounts differ. */
const CONFIG = `
  accounts {
    A { jetstream: enabled, users: [{ user: a, password: a }] }
    B { jetstream: enabled, users: [{ user: b, password: b }] }
  }`;

const NOBODY = {
  code: 'HOST_LOST',
  ran: 'no',
  message: 'No worker is available; start one with `glovebox worker`.',
};

type Tenant = 'a' | 'b';

async function whereRunsGo(executor: Executor): Promise<ReadonlySet<string | undefined>> {
  const runs = Array.from({ length: 20 }, () => executor.run({ code: 'return 1' }));
  const outcomes = await Promise.all(runs);
  expect(outcomes.map(valueOf)).toEqual(runs.map(() => 1));
  return new Set(outcomes.map(({ usage }) => usage.hostId.split('/')[0]));
}

describeNats('two tenants with an account each', () => {
  let stack: AsyncDisposableStack;
  let server: NatsServer;
  beforeEach(async () => {
    stack = new AsyncDisposableStack();
    server = stack.use(await NatsServer.configured(CONFIG));
  });
  afterEach(() => stack.disposeAsync());

  async function startWorker(of: Tenant): Promise<WorkerProcess> {
    const env = { NATS_PASSWORD: of };
    return stack.use(await WorkerProcess.start(server.url, `of-${of}`, ['--user', of], env));
  }

  function executorOf(tenant: Tenant): Executor {
    const servers = { servers: server.url, user: tenant, pass: tenant };
    return stack.use(new Executor({ pool: nats({ servers }) }));
  }

  test('runs of one never reach a worker of the other', async () => {
    const [workerOfA] = await Promise.all([startWorker('a'), startWorker('b')]);
    const [a, b] = [executorOf('a'), executorOf('b')];
    const heard: string[] = [];
    const spy = await connect({ servers: server.url, user: 'a', pass: 'a' });
    stack.defer(() => spy.close());
    spy.subscribe('>', { callback: (_error, { subject }) => void heard.push(subject) });
    await spy.flush();

    expect(await whereRunsGo(b)).toEqual(new Set(['of-b']));
    await spy.flush();
    // The own worker makes a consumer of the own jobs, whose name is in what it says to the server.
    const ofRuns = /^glovebox\..*\.(job|event|command)\.|of-b/;
    expect(heard.filter((subject) => ofRuns.test(subject))).toEqual([]);
    expect(await whereRunsGo(a)).toEqual(new Set(['of-a']));
    await spy.flush();
    expect(heard.some((subject) => ofRuns.test(subject))).toBe(true);

    // The other one's workers are no help when the own ones have gone.
    await spy.close();
    expect(await workerOfA.end('SIGTERM')).toBe(0);
    const refused = await a.run({ code: 'return 1' });
    expect(errorOf(refused)).toMatchObject(NOBODY);
    expect(refused.usage).toMatchObject({ wallMs: 0 });
    expect(await whereRunsGo(b)).toEqual(new Set(['of-b']));
  });

  test('a tenant that never had a worker is told at once', async () => {
    await startWorker('b');
    const refused = await executorOf('a').run({ code: 'return 1' });
    expect(errorOf(refused)).toMatchObject(NOBODY);
    expect(refused.usage).toMatchObject({ wallMs: 0 });
  });

  test('who listens to all that is said does not pass for a worker', async () => {
    const spy = await connect({ servers: server.url, user: 'a', pass: 'a' });
    stack.defer(() => spy.close());
    spy.subscribe('>', { callback: () => undefined });
    await spy.flush();
    const refused = await executorOf('a').run({ code: 'return 1' });
    expect(errorOf(refused)).toMatchObject(NOBODY);
  });
});
