import { describe, expect, test } from 'vitest';

import { remoteJob } from './support/remote-job.ts';

describe('a run at a worker', () => {
  test('passes its events on, and ends with the outcome of the worker', () => {
    const { job, link, observer, lease } = remoteJob();
    expect([job.isWaiting, job.isOver]).toEqual([true, false]);
    const at = lease('w1').start(1, 'host-3', 12);
    expect([job.isWaiting, job.isOver]).toEqual([false, false]);
    at.log('hello').call(1, 'pay', 'safe:[5]').end('safe:7');
    expect(observer.events).toEqual([
      ['start', 'w1/host-3', 12],
      ['log', 'info', 'hello'],
      ['call', 1, 'pay', 'safe:[5]'],
      ['end'],
    ]);
    expect(observer.ends).toEqual([
      {
        type: 'outcome',
        outcome: { end: 'value', text: 'safe:7', cpuMs: 1, heapBytes: 1, condemned: false },
      },
    ]);
    expect([job.isWaiting, job.isOver]).toEqual([false, true]);
    expect([link.removals, link.confirmedEnds, link.commands]).toEqual([[true], ['w1/1'], []]);
  });

  test('may send several events in one message', () => {
    const { observer, lease } = remoteJob();
    const at = lease('w1');
    at.send(
      Buffer.concat([
        at.frame({ type: 'start', attempt: 1, host: 'host-1', heldMs: 0 }),
        at.frame({ type: 'log', level: 'warn' }, 'é'),
        at.frame({ type: 'end', end: 'value', cpuMs: 1, heapBytes: 1, condemned: false }, 'safe:2'),
      ]),
    );
    expect(observer.events).toEqual([['start', 'w1/host-1', 0], ['log', 'warn', 'é'], ['end']]);
  });

  test('passes its events on in order, even if a stored frame arrives late', async () => {
    const { link, observer, lease } = remoteJob();
    const late = Promise.withResolvers<void>();
    link.fetch = (frame) => (frame.body === 'large' ? late.promise.then(() => frame) : frame);
    lease('w1').start().log('large').log('small').end();
    expect(observer.events).toEqual([['start', 'w1/host-1', 0]]);
    late.resolve();
    await observer.ended;
    expect(observer.events.slice(1)).toEqual([
      ['log', 'info', 'large'],
      ['log', 'info', 'small'],
      ['end'],
    ]);
  });

  test('responds to each heartbeat of its worker', () => {
    const { lease } = remoteJob();
    const at = lease('w1').start().alive().log().alive();
    expect(at.responses).toBe(2);
  });

  test.each([
    ['with details', { limit: 10, used: 11 }, 'ENOSPC', { cause: new Error('ENOSPC') }],
    ['without details', {}, '', {}],
  ])('ends with the failure that its worker reports, %s', (_what, numbers, body, cause) => {
    const { link, observer, lease } = remoteJob();
    lease('w1').start().fail(numbers, body);
    expect(observer.ends).toEqual([
      {
        type: 'failure',
        code: 'QUEUE_TIMEOUT',
        message: 'No slot got free.',
        ran: 'no',
        ...numbers,
        ...cause,
      },
    ]);
    // The job has no outcome, so the executor deletes it from the stream.
    expect([link.removals, link.confirmedEnds]).toEqual([[false], ['w1/1']]);
  });

  test('continues if its worker starts it again in another host', () => {
    const { observer, lease } = remoteJob();
    lease('w1').start(1, 'host-1').start(1, 'host-2').log().end();
    expect(observer.events).toEqual([
      ['start', 'w1/host-1', 0],
      ['start', 'w1/host-2', 0],
      ['log', 'info', 'hello'],
      ['end'],
    ]);
  });

  test('ignores events after its end; a repeated end event is confirmed again', () => {
    const { link, observer, lease } = remoteJob();
    const at = lease('w1').start().end();
    at.log().call(1).end();
    expect(observer.events).toEqual([['start', 'w1/host-1', 0], ['end']]);
    expect([link.removals, link.confirmedEnds]).toEqual([[true], ['w1/1', 'w1/1']]);
  });
});

describe('the reply to a tool call', () => {
  test('goes to the worker of the lease, with the call ID of the worker', () => {
    const { job, link, lease } = remoteJob();
    lease('w1', 4).start().call(7).call(9);
    job.reply(2, false, '{"name":"Error"}');
    job.reply(1, true, 'safe:1');
    const reply = { worker: 'w1', type: 'reply', lease: 4, token: job.token };
    expect(link.commands).toEqual([
      { ...reply, callId: 9, ok: false, body: '{"name":"Error"}' },
      { ...reply, callId: 7, ok: true, body: 'safe:1' },
    ]);
  });

  test.each([0, 2, -1])('is dropped if there is no such call: %d of 1', (callId) => {
    const { job, link, lease } = remoteJob();
    lease('w1').start().call(1);
    job.reply(callId, true, 'safe:1');
    expect(link.commands).toEqual([]);
  });

  test('may arrive after the next heartbeat', () => {
    const { job, observer, lease } = remoteJob();
    const at = lease('w1').start().call(1).alive(0);
    job.reply(1, true, 'safe:1');
    // The worker may have sent it before the reply arrived.
    at.alive(0);
    expect(observer.ends).toEqual([]);
    at.alive(1).end();
    expect([observer.ends.length, at.responses]).toEqual([1, 3]);
  });

  test('is lost if the second heartbeat does not count it; then the run is lost', () => {
    const { job, link, observer, lease, killOf } = remoteJob();
    const at = lease('w1').start().call(1).call(2);
    job.reply(1, true, 'safe:1');
    job.reply(2, true, 'safe:2');
    at.alive(1);
    expect(observer.ends).toEqual([]);
    at.alive(1);
    expect(observer.failure).toEqual({
      type: 'failure',
      code: 'HOST_LOST',
      message: 'Messages between the worker and the executor were lost during the run.',
      ran: 'maybe',
    });
    expect(link.commands.slice(2)).toEqual([killOf(at)]);
    expect(at.responses).toBe(1);
  });
});

describe('stop', () => {
  test('sends a stop command; the worker then ends the run', () => {
    const { job, link, observer, lease } = remoteJob();
    const at = lease('w1').start();
    job.stop();
    expect(link.commands).toEqual([
      { worker: 'w1', type: 'stop', lease: 1, token: job.token, body: '' },
    ]);
    expect(observer.ends).toEqual([]);
    at.end();
    expect(observer.ends[0]?.type).toBe('outcome');
  });

  test('ends a job that no worker has started', () => {
    const { job, link, observer } = remoteJob();
    job.stop();
    expect(observer.failure).toEqual({
      type: 'failure',
      code: 'ABORTED',
      message: 'The run was stopped before it started.',
      ran: 'no',
    });
    expect([link.commands, link.removals, job.isOver, job.isWaiting]).toEqual([
      [],
      [false],
      true,
      false,
    ]);
  });
});

describe('kill', () => {
  test.each(['limit', 'abort', 'breach'] as const)(
    'ends the run at once, and sends the reason to its worker: %s',
    (why) => {
      const { job, link, observer, lease, killOf } = remoteJob();
      const at = lease('w1').start();
      job.kill(why);
      expect(observer.failure).toEqual({
        type: 'failure',
        code: 'ABORTED',
        message: 'The run was killed.',
        ran: 'yes',
      });
      expect([link.commands, link.removals]).toEqual([[killOf(at, why)], [false]]);
      at.log().end();
      expect(observer.events).toEqual([['start', 'w1/host-1', 0], ['end']]);
    },
  );

  test('of a job that no worker has started sends no command', () => {
    const { job, link, observer } = remoteJob();
    job.kill('abort');
    expect([link.commands, observer.failure?.code]).toEqual([[], 'ABORTED']);
  });

  test('of a job that is over has no effect', () => {
    const { job, link, observer, lease } = remoteJob();
    lease('w1').start().end();
    job.kill('abort');
    job.fail('HOST_LOST', 'Gone.', 'maybe');
    expect([link.commands, link.removals, observer.ends.length]).toEqual([[], [true], 1]);
  });
});

describe('fail', () => {
  test('ends the job once, with the given details', () => {
    const { job, link, observer } = remoteJob();
    const cause = new Error('no answer');
    job.fail('QUEUE_TIMEOUT', 'Nobody took it.', 'no', { limit: 10, used: 10, cause });
    job.fail('HOST_LOST', 'Gone.', 'maybe');
    expect(observer.ends).toEqual([
      {
        type: 'failure',
        code: 'QUEUE_TIMEOUT',
        message: 'Nobody took it.',
        ran: 'no',
        limit: 10,
        used: 10,
        cause,
      },
    ]);
    expect(link.removals).toEqual([false]);
  });
});

test('each job has its own token, which fits into a subject', () => {
  const tokens = Array.from({ length: 100 }, () => remoteJob().job.token);
  expect(new Set(tokens).size).toBe(100);
  for (const token of tokens) expect(token).toMatch(/^[\da-f]{32}$/);
});
