import { Executor } from '@glovebox/core';
import type { Outcome } from '@glovebox/core';
import { nats } from '@glovebox/core/nats';
import { encodeFrame } from '@glovebox/protocol/frame';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { NATS_PROTOCOL } from '../../packages/core/src/nats/wire/nats-messages.ts';
import { describeNats, NatsServer, startWorker } from '../support/nats.ts';
import { errorOf, valueOf } from '../support/pools.ts';
import { until } from '../support/processes.ts';

const SUBJECTS = 'glovebox.default.default';
const END = { type: 'end', end: 'value', cpuMs: 0, heapBytes: 0, condemned: false };
const START = { type: 'start', run: 1, attempt: 1, host: 'h', heldMs: 0 };

/** A worker that does what it likes with the next job; resolves when executors can find it. */
async function lie(
  connection: NatsConnection,
  say: (send: (frame: Uint8Array) => void) => void,
): Promise<{ readonly done: Promise<void> }> {
  const state = {
    protocol: NATS_PROTOCOL,
    worker: 'liar',
    since: 0,
    version: '',
    node: '',
    slots: 1,
    busy: 0,
    sessions: 0,
    maxSessions: 0,
    draining: false,
  };
  connection.subscribe(`${SUBJECTS}.ping`, {
    callback: (_error, message) => void message.respond(JSON.stringify(state)),
  });
  await connection.flush();
  return { done: takeJob(connection, say) };
}

async function takeJob(
  connection: NatsConnection,
  say: (send: (frame: Uint8Array) => void) => void,
): Promise<void> {
  const manager = await jetstreamManager(connection);
  const stream = 'GLOVEBOX_default_default';
  const [level] = await manager.consumers.list(stream).next();
  const consumer = await manager.jetstream().consumers.get(stream, level?.name);
  const message = await consumer.next({ expires: 25_000 });
  if (message === null) throw new Error('No job came.');
  message.ack();
  const [, token] = /"token":"([\da-f]+)"/.exec(message.string()) ?? [];
  const [, executor] = /"executor":"([\da-f]+)"/.exec(message.string()) ?? [];
  say((frame) => connection.publish(`${SUBJECTS}.event.${executor}.${token}.liar.1`, frame));
  await connection.flush();
}

function frames(...events: readonly object[]): readonly Uint8Array[] {
  return events.map((event, sequence) => encodeFrame<object>({ sequence, event }, 'safe:1'));
}

/** What becomes of a run whose worker says these things. */
async function runWith(url: string, said: readonly Uint8Array[]): Promise<Outcome> {
  const connection = await connect({ servers: url });
  await using executor = new Executor({ pool: nats({ servers: url }) });
  const { done } = await lie(connection, (send) => {
    for (const frame of said) send(frame);
  });
  const outcome = await executor.run({
    code: 'return 1',
    limits: { resultBytes: 1000 },
    tools: { known: () => 1 },
  });
  await done;
  await connection.close();
  return outcome;
}

describeNats('mutual distrust over NATS', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await NatsServer.start();
    // It makes the stream.
    const worker = await startWorker(server.url);
    await worker.close();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  describe('a worker that breaks the protocol', () => {
    test('is believed when it keeps to it', async () => {
      const outcome = await runWith(server.url, frames(START, { ...END, run: 1 }));
      expect(valueOf(outcome)).toBe(1);
    });

    test('that a run began long ago is not believed beyond its submission', async () => {
      const began = performance.now();
      const outcome = await runWith(
        server.url,
        frames({ ...START, heldMs: 1e9 }, { ...END, run: 1 }),
      );
      expect(outcome.usage.wallMs).toBeGreaterThan(0);
      expect(outcome.usage.wallMs).toBeLessThan(performance.now() - began);
      expect(outcome.usage.queueMs).toBe(0);
    });

    test.each<[string, readonly Uint8Array[], object]>([
      ['no frame', [Buffer.from('garbage')], { code: 'PROTOCOL_ERROR' }],
      [
        'a header that is no message',
        frames({ type: 'start', run: 1 }),
        { code: 'PROTOCOL_ERROR' },
      ],
      ['fields that it does not have', frames({ ...START, more: 1 }), { code: 'PROTOCOL_ERROR' }],
      ['another lease', frames(START, { ...END, run: 2 }), { code: 'PROTOCOL_ERROR' }],
      [
        'a code that there is not',
        frames(START, { type: 'failure', run: 1, code: 'X', message: '', ran: 'no' }),
        { code: 'PROTOCOL_ERROR' },
      ],
      [
        'a tool that there is not',
        frames(START, { type: 'call', run: 1, callId: 1, tool: 'unknown' }),
        { code: 'PROTOCOL_ERROR' },
      ],
      [
        'a frame over the limit',
        [...frames(START), encodeFrame<object>({ stored: { name: 'a', bytes: 2 ** 40 } })],
        { code: 'PROTOCOL_ERROR' },
      ],
      [
        'an object that is not there',
        [encodeFrame<object>({ stored: { name: 'a', bytes: 9 } })],
        { code: 'PROTOCOL_ERROR' },
      ],
      [
        'a gap',
        [
          encodeFrame<object>({ sequence: 0, event: START }),
          encodeFrame<object>({ sequence: 2, event: { ...END, run: 1 } }, 'safe:1'),
        ],
        { code: 'HOST_LOST', ran: 'maybe' },
      ],
      [
        'a value that is none',
        [
          ...frames(START),
          encodeFrame<object>({ sequence: 1, event: { ...END, run: 1 } }, 'pickle:'),
        ],
        { code: 'PROTOCOL_ERROR' },
      ],
    ])('%s', async (_what, said, expected) => {
      expect(errorOf(await runWith(server.url, said))).toMatchObject(expected);
    });

    test('a result for a job that it was not given is ignored', async () => {
      const worker = await startWorker(server.url);
      const connection = await connect({ servers: server.url });
      await using executor = new Executor({ pool: nats({ servers: server.url }) });
      try {
        const outcome = await executor.run({
          code: 'return hold()',
          tools: {
            hold: async () => {
              const forged = encodeFrame<object>(
                { sequence: 0, event: { ...END, run: 1 } },
                'safe:"forged"',
              );
              // It knows all but the names that cannot be guessed.
              for (const job of ['0'.repeat(32), '*', '>']) {
                connection.publish(`${SUBJECTS}.event.${'0'.repeat(32)}.${job}.worker-1.1`, forged);
              }
              await connection.flush();
              return 'honest';
            },
          },
        });
        expect(valueOf(outcome)).toBe('honest');
      } finally {
        await connection.close();
        await worker.close();
      }
    });
  });

  describe("the worker's owner", () => {
    test.each<[string, string, object, object]>([
      [
        'memory',
        'const all = []; for (;;) all.push(new Array(1e4).fill(all.length))',
        { memoryMb: 512 },
        { code: 'MEMORY_LIMIT', limit: 32 * 2 ** 20 },
      ],
      [
        'time',
        'await new Promise(() => undefined)',
        { wallMs: 20_000 },
        { code: 'WALL_LIMIT', limit: 400 },
      ],
      ['time of a loop', 'for (;;);', { wallMs: 20_000 }, { code: 'WALL_LIMIT', limit: 400 }],
      ['source', `return 1 // ${'x'.repeat(3000)}`, {}, { code: 'SOURCE_LIMIT', limit: 2000 }],
      ['variables', 'return 1', {}, { code: 'VARIABLES_LIMIT', limit: 5000, ran: 'no' }],
      ['large variables', 'return 2', {}, { code: 'VARIABLES_LIMIT', ran: 'no' }],
      [
        'results',
        'return "x".repeat(4000)',
        { resultBytes: 1e6 },
        { code: 'RESULT_LIMIT', limit: 3000 },
      ],
    ])('bounds %s, whatever is asked for', async (what, code, limits, expected) => {
      const worker = await startWorker(server.url, {
        limits: {
          memoryMb: 32,
          wallMs: what.startsWith('time') ? 400 : 30_000,
          sourceBytes: 2000,
          variablesBytes: 5000,
          resultBytes: 3000,
        },
      });
      await using executor = new Executor({ pool: nats({ servers: server.url }) });
      const size = { variables: 6000, 'large variables': 3e6 }[what];
      const variables = size === undefined ? {} : { text: 'x'.repeat(size) };
      const outcome = await executor.run({ code, variables, limits });
      await worker.close();
      expect(errorOf(outcome)).toMatchObject(expected);
    });

    test('is not troubled by what is no job and no command', async () => {
      const refused: string[] = [];
      const worker = await startWorker(server.url, {
        onEvent: (event) => {
          if (event.type === 'refused') refused.push(event.why);
        },
      });
      const connection = await connect({ servers: server.url });
      const garbage = [
        Buffer.from('garbage'),
        Buffer.alloc(0),
        encodeFrame<object>({ type: 'kill', lease: 1 }),
        encodeFrame<object>({ protocol: NATS_PROTOCOL, executor: '>', token: '*', job: {} }),
        encodeFrame<object>({ stored: { name: 'missing', bytes: 10 } }),
      ];
      for (const bytes of garbage) {
        connection.publish(`${SUBJECTS}.command.worker-1`, bytes);
        connection.publish(`${SUBJECTS}.job.0`, bytes);
      }
      connection.publish(`${SUBJECTS}.kill`, '{}');
      await connection.flush();
      await using executor = new Executor({ pool: nats({ servers: server.url }) });
      expect(valueOf(await executor.run({ code: 'return 1' }))).toBe(1);
      await expect.poll(() => refused.length).toBe(2 * garbage.length);
      await connection.close();
      await worker.close();
    });

    test('who does not know the token cannot end a run', async () => {
      const heard = Promise.withResolvers<void>();
      const worker = await startWorker(server.url, {
        onEvent: ({ type }) => {
          if (type === 'refused') heard.resolve();
        },
      });
      const connection = await connect({ servers: server.url });
      await using executor = new Executor({ pool: nats({ servers: server.url }) });
      const outcome = await executor.run({
        code: 'return hold()',
        tools: {
          hold: async () => {
            for (const type of ['stop', 'kill']) {
              const command = {
                type,
                lease: 1,
                token: '0'.repeat(32),
                ...(type === 'kill' ? { why: 'abort' } : {}),
              };
              connection.publish(`${SUBJECTS}.command.worker-1`, encodeFrame<object>(command));
            }
            // It is told to be no command, when those before it were read.
            connection.publish(`${SUBJECTS}.command.worker-1`, Buffer.from('garbage'));
            await heard.promise;
            return 'unharmed';
          },
        },
      });
      expect(valueOf(outcome)).toBe('unharmed');
      await connection.close();
      await worker.close();
    });

    test('keeps code out that has killed hosts of any worker', async () => {
      const quarantine = { kills: 2, withinMs: 60_000, forMs: 60_000 };
      const heard: string[] = [];
      const start = (name: string) =>
        startWorker(server.url, {
          name,
          slots: 1,
          quarantine,
          onEvent: ({ type }) => {
            if (type === 'killed') heard.push(name);
          },
        });
      const workers = await Promise.all(['w1', 'w2'].map(start));
      await using executor = new Executor({ pool: nats({ servers: server.url }) });
      const run = { code: 'new Array(2 ** 32 - 1).fill(0)', limits: { wallMs: 200 } };
      for (let kills = 0; kills < 2; kills++) {
        expect(errorOf(await executor.run(run)).code).toBe('WALL_LIMIT');
      }
      // Each worker hears of both.
      await until(() => heard.length === 4);
      // Both at once, so that each worker gets one.
      const refused = await Promise.all([executor.run(run), executor.run(run)]);
      for (const outcome of refused) {
        expect(errorOf(outcome)).toMatchObject({ code: 'QUARANTINED', ran: 'no' });
      }
      expect(valueOf(await executor.run({ code: 'return 1' }))).toBe(1);
      await Promise.all(workers.map((worker) => worker.close()));
    });
  });
});
