import { encodeFrame, FrameReader } from '@glovebox/protocol/frame';
import { serialize } from '@glovebox/serializer';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { NATS_PROTOCOL } from '../../packages/core/src/nats/wire/nats-messages.ts';
import { describeNats, NatsServer, startWorker } from '../support/nats.ts';
import { until } from '../support/processes.ts';

const SUBJECTS = 'glovebox.default.default';
const TOKEN = 'a'.repeat(32);

/** A message of a worker with events of one lease. */
interface EventMessage {
  readonly bytes: string;
  readonly lease: number;
  readonly types: readonly string[];
}

describeNats('the end event of a run over NATS', () => {
  let stack: AsyncDisposableStack;
  let connection: NatsConnection;
  beforeEach(async () => {
    stack = new AsyncDisposableStack();
    const server = stack.use(await NatsServer.start());
    const worker = await startWorker(server.url, { slots: 1 });
    stack.defer(() => worker.close());
    connection = await connect({ servers: server.url });
    stack.defer(() => connection.close());
  });
  afterEach(async () => stack.disposeAsync());

  /** Collects the worker's events for an executor that confirms nothing by itself. */
  function collectEvents(): readonly EventMessage[] {
    const messages: EventMessage[] = [];
    connection.subscribe(`${SUBJECTS}.event.e1.>`, {
      callback: (_error, message) => {
        const bytes = Buffer.from(message.data);
        const types = Array.from(
          new FrameReader(1e6).push(bytes),
          ({ header }) => (header as { event: { type: string } }).event.type,
        );
        const lease = Number(message.subject.split('.').at(-1));
        messages.push({ bytes: bytes.toString('hex'), lease, types });
      },
    });
    return messages;
  }

  async function submit(code: string): Promise<void> {
    const job = { code, filename: 'code.js', language: 'javascript', tools: [], limits: {} };
    const header = {
      protocol: NATS_PROTOCOL,
      executor: 'e1',
      token: TOKEN,
      job: { ...job, deterministic: null },
    };
    await jetstream(connection).publish(
      `${SUBJECTS}.job.0`,
      encodeFrame<object>(header, serialize({})),
    );
  }

  function confirm(lease: number, token: string): void {
    const command = { type: 'confirm', leases: [{ lease, token }] };
    connection.publish(`${SUBJECTS}.command.worker-1`, encodeFrame<object>(command));
  }

  async function jobsLeft(): Promise<number> {
    const manager = await jetstreamManager(connection);
    return (await manager.streams.info('GLOVEBOX_default_default')).state.messages;
  }

  test('is re-sent until a confirmation has the right token; then the job leaves the stream', async () => {
    const messages = collectEvents();
    await submit('return 1');
    const ends = (): readonly EventMessage[] =>
      messages.filter(({ types }) => types.at(-1) === 'end');
    await until(() => ends().length > 0);
    const lease = ends()[0]?.lease ?? 0;
    confirm(lease, '0'.repeat(32));
    await until(() => ends().length > 1);
    expect(ends()[1]).toEqual(ends()[0]);
    expect(await jobsLeft()).toBe(1);
    confirm(lease, TOKEN);
    await expect.poll(jobsLeft).toBe(0);
  });

  test('needs no confirmation if the executor does not exist', async () => {
    await submit('return 1');
    // An executor that only does not answer gets it five times, three seconds apart.
    await expect.poll(jobsLeft, { timeout: 10_000 }).toBe(0);
  });

  test('is batched with the events before it: many lines of log are few messages', async () => {
    const messages = collectEvents();
    await submit('for (let n = 0; n < 100; n++) console.log(n); return 1');
    await until(() => messages.at(-1)?.types.at(-1) === 'end');
    const types = messages.flatMap((message) => message.types);
    expect(types).toEqual(['start', ...Array.from({ length: 100 }, () => 'log'), 'end']);
    expect(messages.length).toBeLessThan(50);
  });

  test('is in one message with the start event if the run is short', async () => {
    const messages = collectEvents();
    const ends = (): number => messages.filter(({ types }) => types.at(-1) === 'end').length;
    const isOneMessage = (): boolean => messages.some(({ types }) => types.join() === 'start,end');
    // On a busy machine, most of the runs may take longer than the delay of the start event.
    for (let count = 1; count <= 200 && !isOneMessage(); count++) {
      await submit('return 1');
      await until(() => ends() === count);
      confirm(messages.at(-1)?.lease ?? 0, TOKEN);
    }
    expect(isOneMessage()).toBe(true);
  });

  test('comes after the message with the start event if the run is long', async () => {
    const messages = collectEvents();
    // It lasts until it is told to stop, so that no message of its end can come before that.
    await submit('await new Promise(() => undefined)');
    await until(() => messages.length > 0);
    expect(messages[0]?.types).toEqual(['start']);
    const command = { type: 'stop', lease: messages[0]?.lease, token: TOKEN };
    connection.publish(`${SUBJECTS}.command.worker-1`, encodeFrame<object>(command));
    await until(() => messages.slice(1).some(({ types }) => types.join() !== 'alive'));
    expect(messages.at(-1)?.types).toEqual(['end']);
  });
});
