import { encodeFrame, FrameReader } from '@glovebox/protocol/frame';
import { serialize } from '@glovebox/serializer';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { describeNats, NatsServer, startWorker } from '../support/nats.ts';
import { until } from '../support/processes.ts';

const SUBJECTS = 'glovebox.default.default';
const TOKEN = 'a'.repeat(32);

/** A message of a worker about a run. */
interface Heard {
  readonly bytes: string;
  readonly lease: number;
  readonly types: readonly string[];
}

describeNats('the last word of a run over NATS', () => {
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

  /** Hears what the worker says to an executor that answers nothing by itself. */
  function listen(): readonly Heard[] {
    const heard: Heard[] = [];
    connection.subscribe(`${SUBJECTS}.event.e1.>`, {
      callback: (_error, message) => {
        const bytes = Buffer.from(message.data);
        const types = Array.from(
          new FrameReader(1e6).push(bytes),
          ({ header }) => (header as { event: { type: string } }).event.type,
        );
        const lease = Number(message.subject.split('.').at(-1));
        heard.push({ bytes: bytes.toString('hex'), lease, types });
      },
    });
    return heard;
  }

  async function submit(code: string): Promise<void> {
    const job = { code, filename: 'code.js', language: 'javascript', tools: [], limits: {} };
    const header = {
      protocol: 3,
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
    const command = { type: 'heard', leases: [{ lease, token }] };
    connection.publish(`${SUBJECTS}.command.worker-1`, encodeFrame<object>(command));
  }

  async function jobsLeft(): Promise<number> {
    const manager = await jetstreamManager(connection);
    return (await manager.streams.info('GLOVEBOX_default_default')).state.messages;
  }

  test('is said again until who knows its name has heard it; then the job is done', async () => {
    const heard = listen();
    await submit('return 1');
    const lasts = (): readonly Heard[] => heard.filter(({ types }) => types.at(-1) === 'end');
    await until(() => lasts().length > 0, 5000);
    const lease = lasts()[0]?.lease ?? 0;
    confirm(lease, '0'.repeat(32));
    await until(() => lasts().length > 1, 5000);
    expect(lasts()[1]).toEqual(lasts()[0]);
    expect(await jobsLeft()).toBe(1);
    confirm(lease, TOKEN);
    await expect.poll(jobsLeft).toBe(0);
  });

  test('is not waited for where nobody is there to hear it', async () => {
    await submit('return 1');
    await expect.poll(jobsLeft, { timeout: 2500 }).toBe(0);
  });

  test('comes with what was said just before it: many lines of log are few messages', async () => {
    const heard = listen();
    await submit('for (let n = 0; n < 100; n++) console.log(n); return 1');
    await until(() => heard.at(-1)?.types.at(-1) === 'end', 5000);
    const types = heard.flatMap((message) => message.types);
    expect(types).toEqual(['start', ...Array.from({ length: 100 }, () => 'log'), 'end']);
    expect(heard.length).toBeLessThan(50);
  });

  test('comes with word of the start where the run is short: all of it is one message', async () => {
    const heard = listen();
    const ends = (): number => heard.filter(({ types }) => types.at(-1) === 'end').length;
    // A busy machine may take longer over some of them.
    for (let count = 1; count <= 20; count++) {
      await submit('return 1');
      await until(() => ends() === count, 5000);
      confirm(heard.at(-1)?.lease ?? 0, TOKEN);
    }
    expect(heard.map(({ types }) => types.join())).toContain('start,end');
  });

  test('comes after word of the start where the run takes its time', async () => {
    const heard = listen();
    await submit('await new Promise((resolve) => setTimeout(resolve, 300)); return 1');
    await until(() => heard.length > 0, 5000);
    expect(heard[0]?.types).toEqual(['start']);
    await until(() => heard.length > 1, 5000);
    expect(heard[1]?.types).toEqual(['end']);
  });
});
