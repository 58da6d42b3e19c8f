import { encodeFrame } from '@glovebox/protocol/frame';
import { describe, expect, test } from 'vitest';

import { remoteJob } from './support/remote-job.ts';
import type { WorkerLease } from './support/remote-job.ts';

/** Messages that a worker must not send about lease 1. */
const INVALID_MESSAGES: readonly [string, (at: WorkerLease) => Uint8Array, RegExp][] = [
  ['no bytes', () => new Uint8Array(), /^A message holds no complete frame\.$/],
  ['bytes that are not a frame', () => Buffer.from('{"sequence":1}'), /^The frame has \d+ bytes/],
  [
    'a truncated frame',
    (at) => at.frame({ type: 'log', level: 'info' }, 'hello').subarray(0, -1),
    /^A message holds no complete frame\.$/,
  ],
  [
    'a header that is not JSON',
    () => Buffer.from('\0\0\0\u0005\0\0\0\u0001{', 'latin1'),
    /^The header of a frame is not JSON\.$/,
  ],
  ['a header that is not an event', () => encodeFrame<object>({ type: 'log' }), /sequence/],
  [
    'an event of an unknown type',
    () => encodeFrame<object>({ sequence: 1, event: { type: 'party', run: 1 } }),
    /type/,
  ],
  [
    'an event with an unknown property',
    () =>
      encodeFrame<object>({ sequence: 1, event: { type: 'alive', run: 1, replies: 0, more: 1 } }),
    /more/,
  ],
  [
    'an event of another lease',
    () => encodeFrame<object>({ sequence: 1, event: { type: 'alive', run: 2, replies: 0 } }),
    /^The lease in the event differs from the lease in its subject\.$/,
  ],
  [
    'a frame over the limits of the run',
    (at) => at.frame({ type: 'log', level: 'info' }, 'x'.repeat(1_400_000)),
    /at most 1348576 are allowed\.$/,
  ],
];

describe.each(INVALID_MESSAGES)('a worker that sends %s', (_what, make, message) => {
  // The largest of these, plus 1 MiB for the header, is the limit of a frame.
  const limits = { resultBytes: 300_000, toolArgBytes: 10, logBytes: 10 };

  test('ends its run with a protocol error, and gets a kill command', () => {
    const { link, observer, lease, killOf } = remoteJob({ limits });
    const at = lease('w1').start();
    at.send(make(at));
    expect(observer.failure).toEqual({
      type: 'failure',
      code: 'PROTOCOL_ERROR',
      message: 'The worker sent an invalid message.',
      ran: 'maybe',
      cause: expect.objectContaining({
        message: expect.stringMatching(message),
      }),
    });
    expect([link.commands, link.removals]).toEqual([[killOf(at, 'breach')], [false]]);
  });

  test('ends a job without a lease as well', () => {
    const { link, observer, lease, killOf } = remoteJob({ limits });
    const at = lease('w1');
    at.send(make(at));
    expect(observer.failure?.code).toBe('PROTOCOL_ERROR');
    expect(link.commands).toEqual([killOf(at, 'breach')]);
  });

  test('does not end the run of the worker that has the job now', () => {
    const { link, observer, lease, killOf } = remoteJob({ limits });
    const before = lease('w1').start(1);
    const now = lease('w2').start(2);
    link.commands.length = 0;
    before.send(make(before));
    expect([observer.ends, link.commands]).toEqual([[], [killOf(before, 'breach')]]);
    now.end();
    expect(observer.ends[0]?.type).toBe('outcome');
  });
});

test('events before the invalid frame of a message are passed on', () => {
  const { observer, lease } = remoteJob();
  const at = lease('w1').start();
  at.send(
    Buffer.concat([
      at.frame({ type: 'log', level: 'info' }, 'before'),
      encodeFrame<object>({ type: 'log' }),
      at.frame({ type: 'log', level: 'info' }, 'after'),
    ]),
  );
  expect(observer.events).toEqual([['start', 'w1/host-1', 0], ['log', 'info', 'before'], ['end']]);
  expect(observer.failure?.code).toBe('PROTOCOL_ERROR');
});

test('a stored frame that cannot be read is a protocol error, after the events before it', async () => {
  const { link, observer, lease } = remoteJob();
  const cause = new Error('not there');
  link.fetch = (frame) => (frame.body === 'stored' ? Promise.reject(cause) : frame);
  lease('w1').start().log('before').log('stored').log('after');
  await observer.ended;
  expect(observer.failure).toMatchObject({ code: 'PROTOCOL_ERROR', cause });
  expect(observer.events.slice(1)).toEqual([['log', 'info', 'before'], ['end']]);
});
