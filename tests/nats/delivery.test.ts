import { Executor } from '@glovebox/core';
import { nats } from '@glovebox/core/nats';
import type { NatsPoolOptions, NatsWorkerOptions } from '@glovebox/core/nats';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { ampleMs, ampleTime, ampleWallMs } from '../support/calibration.ts';
import { WorkerProcess } from '../support/nats-worker.ts';
import { describeNats, NatsServer, startWorker } from '../support/nats.ts';
import { errorOf, valueOf } from '../support/pools.ts';
import { until } from '../support/processes.ts';

/** Enough for a tool call: whoever is at it when its worker dies has had an effect. */
const HOLD = 'return hold()';
/** What the worker that comes second lends its guests, and the first one does not. */
const SECOND = ['SharedArrayBuffer'];
/** Never ends at the first worker, and at once at the second: without any effect, it cannot be told. */
const STAYS_AT_FIRST = `
  if (typeof SharedArrayBuffer === 'undefined') await new Promise(() => undefined);
  return 1`;
const STREAM: NatsWorkerOptions['stream'] = {
  storage: 'memory',
  replicas: 1,
  maxJobs: 100,
  storeBytes: 2 ** 26,
  leaseMs: 10_000,
};

describeNats('delivery over NATS', () => {
  let server: NatsServer;
  let stack: AsyncDisposableStack;
  beforeEach(async () => {
    stack = new AsyncDisposableStack();
    server = stack.use(await NatsServer.start());
  });
  afterEach(async () => stack.disposeAsync());

  function executorOver(options: Partial<NatsPoolOptions> = {}): Executor {
    return stack.use(new Executor({ pool: nats({ servers: server.url, ...options }) }));
  }

  async function startProcess(name: string): Promise<WorkerProcess> {
    const flags = ['--lease', '2s', '--log-runs'];
    return stack.use(await WorkerProcess.start(server.url, name, flags));
  }

  async function startHere(options: Partial<NatsWorkerOptions> = {}): Promise<void> {
    const started = await startWorker(server.url, { stream: STREAM, ...options });
    stack.defer(() => started.close());
  }

  /** The server forgets everything, and runs go well again. */
  async function restart(executor: Executor): Promise<void> {
    await server.kill();
    await server.run();
    await expect.poll(async () => (await executor.run({ code: 'return 2' })).ok).toBe(true);
  }

  /** Jobs and large values that the server still holds. */
  async function left(): Promise<{ jobs: number; objectBytes: number }> {
    const connection = await connect({ servers: server.url });
    const manager = await jetstreamManager(connection);
    const { state } = await manager.streams.info('GLOVEBOX_default_default');
    const objects = await manager.streams.info('OBJ_GLOVEBOX_default_default');
    await connection.close();
    return { jobs: state.messages, objectBytes: objects.state.bytes };
  }

  test('nobody listening is told at once', async () => {
    const roundTripMs = await ampleTime(async () => {
      const connection = await connect({ servers: server.url });
      await connection.flush();
      await connection.close();
    });
    const executor = executorOver();
    const started = performance.now();
    const error = errorOf(await executor.run({ code: 'return 1' }));
    expect(error).toMatchObject({ code: 'HOST_LOST', ran: 'no', retryable: true });
    expect(error.message).toContain('glovebox worker');
    expect(performance.now() - started).toBeLessThan(Math.max(1000, roundTripMs));
  });

  test('no server is told', async () => {
    await server.kill();
    const error = errorOf(await executorOver().run({ code: 'return 1' }));
    expect(error).toMatchObject({ code: 'HOST_LOST', ran: 'no' });
  });

  test('late acknowledgements take nothing out of a stream that was made anew', async () => {
    await startHere({ slots: 1 });
    const executor = executorOver();
    const spy = await connect({ servers: server.url });
    const subjects = new Set<string>();
    spy.subscribe('$JS.ACK.>', { callback: (_error, { subject }) => void subjects.add(subject) });
    for (let run = 0; run < 30; run++) valueOf(await executor.run({ code: 'return 1' }));
    await until(() => subjects.size >= 30);
    await spy.close();

    await restart(executor);
    const hold = Promise.withResolvers<void>();
    const first = executor.run({ code: HOLD, tools: { hold: () => hold.promise } });
    const waiting = [3, 4, 5].map((value) => executor.run({ code: `return ${value}` }));
    await expect.poll(async () => (await left()).jobs).toBeGreaterThanOrEqual(4);
    // The numbers of jobs of the old stream are those of the new one's.
    const late = await connect({ servers: server.url });
    for (const subject of subjects) late.publish(subject, '+ACK');
    await late.flush();
    await late.close();
    hold.resolve();
    valueOf(await first);
    expect((await Promise.all(waiting)).map(valueOf)).toEqual([3, 4, 5]);
  });

  test('an aborted run takes nothing but itself out of a stream that was made anew', async () => {
    // Long leases are not renewed while the server is away: nothing of the run is lost then.
    await startHere({ slots: 2, stream: { ...STREAM, leaseMs: 60_000 } });
    const executor = executorOver();
    for (let run = 0; run < 10; run++) valueOf(await executor.run({ code: 'return 1' }));
    const begun = Promise.withResolvers<void>();
    const abort = new AbortController();
    const aborted = executor.run({
      code: HOLD,
      tools: { hold: () => (begun.resolve(), new Promise(() => undefined)) },
      signal: abort.signal,
    });
    await begun.promise;

    await restart(executor);
    const hold = Promise.withResolvers<void>();
    const values = Array.from({ length: 16 }, (_, n) => n);
    const runs = values.map((value) =>
      executor.run({ code: `await hold(); return ${value}`, tools: { hold: () => hold.promise } }),
    );
    await expect.poll(async () => (await left()).jobs).toBeGreaterThanOrEqual(values.length);
    // The place that it had in the old stream is another one's in the new one.
    abort.abort();
    expect(errorOf(await aborted).code).toBe('ABORTED');
    // What the executor says to the server after it has been heard when this has its place.
    runs.push(executor.run({ code: `return ${values.length}` }));
    await expect.poll(async () => (await left()).jobs).toBeGreaterThanOrEqual(runs.length);
    hold.resolve();
    expect((await Promise.all(runs)).map(valueOf)).toEqual([...values, values.length]);
  });

  test('a stream that somebody deletes is made anew, and told once for all slots', async () => {
    const errors: string[] = [];
    await startHere({
      slots: 4,
      onEvent: (event) => {
        if (event.type === 'error') errors.push(event.message);
      },
    });
    const executor = executorOver();
    expect(valueOf(await executor.run({ code: 'return 1' }))).toBe(1);
    const connection = await connect({ servers: server.url });
    const manager = await jetstreamManager(connection);
    await manager.streams.delete('GLOVEBOX_default_default');
    await connection.close();
    expect(valueOf(await executor.run({ code: 'return 2' }))).toBe(2);
    expect(errors).toEqual([expect.stringMatching(/Consumer Deleted/)]);
  });

  test('a full stream is QUEUE_FULL', async () => {
    await startHere({ slots: 1, stream: { ...STREAM, maxJobs: 3 } });
    const executor = executorOver();
    const release = Promise.withResolvers<number>();
    const runs = Array.from({ length: 5 }, () =>
      executor.run({ code: HOLD, tools: { hold: () => release.promise } }),
    );
    const refused = await Promise.any(
      runs.map(async (run) => {
        const outcome = await run;
        if (outcome.ok) throw new Error('It ran.');
        return outcome.error;
      }),
    );
    release.resolve(1);
    expect(refused).toMatchObject({ code: 'QUEUE_FULL', ran: 'no', retryable: true });
    const outcomes = await Promise.all(runs);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(3);
  });

  test('a run that waits too long is QUEUE_TIMEOUT, and is taken out of the stream', async () => {
    await startHere({ slots: 1 });
    // The run that is there first must not wait so long.
    const any = executorOver();
    const queueMs = await ampleWallMs(() => any.run({ code: 'return 0' }));
    const executor = executorOver({ queueMs });
    const release = Promise.withResolvers<number>();
    const begun = Promise.withResolvers<void>();
    const hold = (): Promise<number> => (begun.resolve(), release.promise);
    const first = executor.run({ code: HOLD, tools: { hold } });
    await begun.promise;
    const second = await executor.run({ code: 'return 2' });
    expect(errorOf(second)).toMatchObject({ code: 'QUEUE_TIMEOUT', ran: 'no', limit: queueMs });
    await expect.poll(left).toMatchObject({ jobs: 1 });
    release.resolve(1);
    expect(valueOf(await first)).toBe(1);
    await expect.poll(left).toMatchObject({ jobs: 0 });
  });

  test('a run without an effect goes on with another worker', async () => {
    const first = await startProcess('w1');
    const executor = executorOver();
    const run = executor.run({ code: STAYS_AT_FIRST });
    await until(() => executor.stats().queued === 0);
    await startHere({ name: 'w2', slots: 1, features: SECOND });
    await first.end('SIGKILL');
    const outcome = await run;
    expect(valueOf(outcome)).toBe(1);
    expect(outcome.usage.hostId).toMatch(/^w2\//);
  });

  test.each([
    ['if-no-effect', { ok: false, error: { code: 'HOST_LOST', ran: 'maybe' } }, 1],
    ['always', { ok: true, value: 'done' }, 2],
  ] as const)('a run with an effect, rerun %s', async (rerun, expected, calls) => {
    const first = await startProcess('w1');
    const executor = executorOver({ rerun });
    let called = 0;
    const begun = Promise.withResolvers<void>();
    const run = executor.run({
      code: HOLD,
      tools: {
        hold: () => {
          begun.resolve();
          return ++called === 1 ? new Promise(() => undefined) : 'done';
        },
      },
    });
    await begun.promise;
    await startProcess('w2');
    await first.end('SIGKILL');
    expect(await run).toMatchObject(expected);
    expect(called).toBe(calls);
    await expect.poll(left).toMatchObject({ jobs: 0 });
  });

  test('a worker that stood still and comes back cannot add to what another one does', async () => {
    const first = await startProcess('w1');
    const executor = executorOver();
    const calls: unknown[] = [];
    const release = Promise.withResolvers<string>();
    // The worker must stand still before the call. Its guest goes on, and has made the call when the
    // one that gets the job after a lease of two seconds makes it.
    const code = `
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await note(1);
      return hold()`;
    const tools = {
      note: (input: unknown) => calls.push(input),
      hold: () => release.promise,
    };
    const run = executor.run({ code, tools });
    await until(() => executor.stats().queued === 0);
    first.child.kill('SIGSTOP');
    // Within this process, it is there before the first one is missed for six seconds and lost.
    await startHere({ name: 'w2', slots: 1 });
    await until(() => calls.length > 0);
    first.child.kill('SIGCONT');
    // It has said what it had to say, and is told to give the run up.
    await first.says('"event":"run"');
    release.resolve('done');
    const outcome = await run;
    expect(valueOf(outcome)).toBe('done');
    expect(outcome.usage.hostId).toMatch(/^w2\//);
    expect(calls).toEqual([1]);
  });

  test('the last worker that dies is told, waiting runs too', async () => {
    const only = await startProcess('w1');
    const executor = executorOver();
    const begun = Promise.withResolvers<void>();
    const tools = { hold: () => (begun.resolve(), new Promise(() => undefined)) };
    const runs = [executor.run({ code: HOLD, tools }), executor.run({ code: 'return 2' })];
    await begun.promise;
    await only.end('SIGKILL');
    const [at, waiting] = await Promise.all(runs);
    expect(at).toMatchObject({ error: { code: 'HOST_LOST', ran: 'maybe' } });
    expect(waiting).toMatchObject({ error: { code: 'HOST_LOST', ran: 'no' } });
    expect(executor.stats()).toMatchObject({ hosts: 0, hostsLost: 1 });
  });

  test('a session stays at its worker, and is lost with it', async () => {
    const first = await startProcess('w1');
    const executor = executorOver();
    const session = stack.use(await executor.openSession());
    valueOf(await session.run({ code: 'globalThis.n = 1' }));
    await startProcess('w2');
    const outcome = await session.run({ code: 'return ++n' });
    expect(valueOf(outcome)).toBe(2);
    expect(outcome.usage.hostId).toMatch(/^w1\//);
    await first.end('SIGKILL');
    // Before the server has noticed, a run is on its way to nobody: it ends as HOST_LOST.
    const next = async (): Promise<unknown> => errorOf(await session.run({ code: 'return n' }));
    await expect.poll(next).toMatchObject({ code: 'SESSION_LOST', ran: 'no' });
  });

  test('a worker that is started anew under its name has lost what it had', async () => {
    const first = await startProcess('w1');
    const executor = executorOver();
    const session = stack.use(await executor.openSession());
    const begun = Promise.withResolvers<void>();
    const inSession = session.run({
      code: HOLD,
      tools: { hold: () => (begun.resolve(), new Promise(() => undefined)) },
    });
    await begun.promise;
    const run = executor.run({ code: STAYS_AT_FIRST });
    await until(() => executor.stats().queued === 0);
    await first.end('SIGKILL');
    await startHere({ name: 'w1', slots: 1, features: SECOND });
    expect(await inSession).toMatchObject({ error: { code: 'HOST_LOST', ran: 'maybe' } });
    expect(errorOf(await session.run({ code: 'return 1' })).code).toBe('SESSION_LOST');
    expect(valueOf(await run)).toBe(1);
    expect(executor.stats()).toMatchObject({ hosts: 1, hostsLost: 1 });
  });

  test('an abort reaches the guest within 100 ms', async () => {
    await startHere();
    const executor = executorOver();
    await executor.ready();
    const roundTripMs = await ampleMs(() => executor.run({ code: 'return 1' }));
    const times: number[] = [];
    for (let count = 0; count < 5; count++) {
      const controller = new AbortController();
      const begun = Promise.withResolvers<void>();
      const ended = executor.run({
        code: 'await hold(); for (;;);',
        tools: { hold: () => begun.resolve() },
        signal: controller.signal,
      });
      await begun.promise;
      const at = performance.now();
      controller.abort();
      expect(errorOf(await ended)).toMatchObject({ code: 'ABORTED', ran: 'yes' });
      times.push(performance.now() - at);
    }
    expect(times.toSorted((a, b) => a - b)[2]).toBeLessThan(Math.max(100, roundTripMs));
  });

  test('large values go through the object store, and nothing stays of them', async () => {
    await startHere();
    const executor = executorOver();
    const text = 'x'.repeat(3 * 2 ** 20);
    const outcome = await executor.run({
      code: 'console.log("before"); const more = await double(text); console.log("after"); return more',
      variables: { text },
      tools: { double: (input: string) => input + input },
      limits: { toolArgBytes: 2 ** 23, toolResultBytes: 2 ** 23, resultBytes: 2 ** 23 },
    });
    expect(valueOf(outcome)).toBe(text + text);
    expect(outcome.logs.map((entry) => entry.text)).toEqual(['before', 'after']);
    await expect.poll(async () => (await left()).objectBytes < 10_000).toBe(true);
    await expect.poll(left).toMatchObject({ jobs: 0 });
  });

  test('there is a bound on large values', async () => {
    await startHere({ stream: { ...STREAM, storeBytes: 2 ** 21 } });
    const executor = executorOver();
    const code = 'return 1';
    const variables = { text: 'x'.repeat(2 ** 22) };
    expect(errorOf(await executor.run({ code, variables }))).toMatchObject({
      code: 'QUEUE_FULL',
      ran: 'no',
    });
    const large = await executor.run({ code: 'return "x".repeat(4e6)' });
    expect(errorOf(large)).toMatchObject({ code: 'HOST_LOST', ran: 'yes' });
    expect(valueOf(await executor.run({ code }))).toBe(1);
  });
});
