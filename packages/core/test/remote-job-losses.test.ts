import { describe, expect, test } from 'vitest';

import { remoteJob } from './support/remote-job.ts';
import type { WorkerLease } from './support/remote-job.ts';

const MESSAGES_LOST = {
  type: 'failure',
  code: 'HOST_LOST',
  message: 'Messages between the worker and the executor were lost during the run.',
  ran: 'maybe',
};

describe('a lost message', () => {
  test.each<[string, (at: WorkerLease) => void]>([
    ['between two logs', (at) => at.log().lose().log()],
    ['before the outcome', (at) => at.lose().end()],
    ['before a failure', (at) => at.lose().fail()],
    ['before a heartbeat', (at) => at.lose().alive()],
    ['with four others', (at) => at.lose(5).call(1)],
    ['or a repeated message', (at) => at.lose(-1).log()],
  ])('%s ends the run, because its content is unknown', (_where, say) => {
    const { link, observer, lease, killOf } = remoteJob();
    const at = lease('w1').start();
    say(at);
    expect(observer.failure).toEqual(MESSAGES_LOST);
    expect([link.commands, link.removals, link.resubmissions]).toEqual([[killOf(at)], [false], 0]);
  });

  test('before the start event ends the run as well', () => {
    const { observer, lease } = remoteJob();
    lease('w1').lose().start();
    expect(observer.failure).toEqual(MESSAGES_LOST);
  });
});

describe('a lost start event', () => {
  test('makes the executor kill the lease and submit the job again, once for the lease', () => {
    const { job, link, observer, lease, killOf } = remoteJob();
    const at = lease('w1').lose().log().call(1).alive();
    expect([link.resubmissions, job.isWaiting, at.responses]).toEqual([1, true, 0]);
    expect(link.commands).toEqual([killOf(at), killOf(at), killOf(at)]);
    expect(observer.events).toEqual([]);
    lease('w2').start().end('safe:2');
    expect(observer.events).toEqual([['start', 'w2/host-1', 0], ['end']]);
  });

  test('of a lease that has ended needs no kill command', () => {
    const { link, lease } = remoteJob();
    lease('w1').lose().end();
    expect([link.resubmissions, link.commands, link.confirmedEnds]).toEqual([1, [], ['w1/1']]);
  });

  test('is tolerated twice; the third one ends the job', () => {
    const { link, observer, lease } = remoteJob();
    lease('w1', 1).lose().log();
    lease('w2', 1).lose().log();
    expect([link.resubmissions, observer.ends]).toEqual([2, []]);
    // Another lease of the same worker.
    lease('w1', 2).lose().log();
    expect([link.resubmissions, observer.failure]).toEqual([2, MESSAGES_LOST]);
  });

  test('ends a job of a session, because no other worker has its isolate', () => {
    const { link, observer, lease } = remoteJob({ isInSession: true });
    lease('w1').lose().log();
    expect([link.resubmissions, observer.failure]).toEqual([0, MESSAGES_LOST]);
  });
});

describe('a job that is delivered again', () => {
  test('belongs to its newest lease: the old lease is killed, and its events are ignored', () => {
    const { link, observer, lease, killOf } = remoteJob();
    const before = lease('w1', 3).start(1);
    lease('w2', 8).start(2).log('second');
    expect(link.commands).toEqual([killOf(before)]);
    before.log('first').call(1).alive();
    expect(link.commands).toEqual([killOf(before), killOf(before), killOf(before), killOf(before)]);
    expect(before.responses).toBe(0);
    expect(observer.events).toEqual([
      ['start', 'w1/host-1', 0],
      ['start', 'w2/host-1', 0],
      ['log', 'info', 'second'],
    ]);
  });

  test('can go to the same worker, under another lease', () => {
    const { observer, lease } = remoteJob();
    const before = lease('w1', 1).start(1);
    const now = lease('w1', 2).start(2);
    before.end('safe:"before"');
    now.end('safe:"now"');
    expect(observer.ends).toMatchObject([{ outcome: { text: 'safe:"now"' } }]);
  });

  test('does not end with the old lease, whose end event is confirmed all the same', () => {
    const { link, observer, lease } = remoteJob();
    const before = lease('w1').start(1);
    lease('w2').start(2);
    const commands = link.commands.length;
    before.end();
    expect([observer.ends, link.confirmedEnds]).toEqual([[], ['w1/1']]);
    expect(link.commands).toHaveLength(commands);
  });

  test.each([
    ['the same', 2],
    ['a lower', 1],
  ])('ignores and kills a lease with %s attempt number', (_what, attempt) => {
    const { link, observer, lease, killOf } = remoteJob();
    const now = lease('w2').start(2);
    const old = lease('w1').start(attempt);
    expect(link.commands).toEqual([killOf(old)]);
    now.end();
    expect(observer.events).toEqual([['start', 'w2/host-1', 0], ['end']]);
  });

  describe('after it had an effect', () => {
    test.each<[string, (at: WorkerLease) => void]>([
      ['a log', (at) => at.log()],
      ['a tool call', (at) => at.call(1)],
    ])('such as %s fails, and both leases are killed', (_what, say) => {
      const { link, observer, lease, killOf } = remoteJob();
      const before = lease('w1').start(1);
      say(before);
      const now = lease('w2').start(2);
      expect(observer.failure).toEqual({
        type: 'failure',
        code: 'HOST_LOST',
        message: 'The worker w1 lost the run, and it is not safe to run it again.',
        ran: 'maybe',
      });
      expect(link.commands.slice(0, 2)).toEqual([killOf(before), killOf(now)]);
      expect(link.removals).toEqual([false]);
    });

    test('runs again if `rerun` is always, and its calls get new IDs', () => {
      const { job, link, observer, lease } = remoteJob({ rerun: 'always' });
      lease('w1', 1).start(1).log().call(1).call(2);
      lease('w2', 5).start(2).call(1);
      expect(observer.events.slice(1)).toEqual([
        ['log', 'info', 'hello'],
        ['call', 1, 'pay', 'safe:[]'],
        ['call', 2, 'pay', 'safe:[]'],
        ['start', 'w2/host-1', 0],
        ['call', 3, 'pay', 'safe:[]'],
      ]);
      link.commands.length = 0;
      // The first call belongs to the old lease.
      job.reply(1, true, 'safe:1');
      job.reply(3, true, 'safe:3');
      expect(link.commands).toEqual([
        {
          worker: 'w2',
          type: 'reply',
          lease: 5,
          token: job.token,
          callId: 1,
          ok: true,
          body: 'safe:3',
        },
      ]);
    });
  });

  test.each([
    ['three attempts', {}, [1, 2, 3], 4, true],
    ['three attempts with rerun always', { rerun: 'always' }, [1, 2, 3], 4, true],
    ['three attempts, of which only the last was seen', {}, [3], 4, true],
    ['two attempts', {}, [1, 2], 3, false],
    ['one attempt in a session', { isInSession: true }, [1], 2, true],
  ] as const)('after %s runs again or fails', (_what, setup, attempts, next, isGivenUp) => {
    const { observer, lease } = remoteJob(setup);
    for (const attempt of attempts) lease(`w${attempt}`).start(attempt);
    expect(observer.ends).toEqual([]);
    lease(`w${next}`).start(next);
    expect(observer.failure?.code).toBe(isGivenUp ? 'HOST_LOST' : undefined);
  });
});

describe('a lost worker', () => {
  const WORKER_LOST = {
    type: 'failure',
    code: 'HOST_LOST',
    message: 'The worker w1 was lost during the run.',
    ran: 'maybe',
  };

  test('leaves its run to another worker', () => {
    const { job, link, observer, lease } = remoteJob();
    lease('w1').start(1);
    job.onWorkerLost('w1', true);
    expect([observer.ends, link.kills]).toEqual([[], [{ worker: 'w1', code: 'return 1' }]]);
    lease('w2').start(2).end('safe:2');
    expect(observer.ends).toMatchObject([{ outcome: { text: 'safe:2' } }]);
  });

  test.each([
    ['there is no other worker', {}, 1, false, false],
    ['the run had an effect', {}, 1, true, true],
    ['this was the third attempt', {}, 3, false, true],
    ['the run belongs to a session', { isInSession: true }, 1, false, true],
  ])('ends its run if %s', (_why, setup, attempt, hasEffect, hasOtherWorker) => {
    const { job, link, observer, lease } = remoteJob(setup);
    const at = lease('w1').start(attempt);
    if (hasEffect) at.log();
    job.onWorkerLost('w1', hasOtherWorker);
    expect([observer.failure, link.removals]).toEqual([WORKER_LOST, [false]]);
    expect(link.kills).toEqual([{ worker: 'w1', code: 'return 1' }]);
  });

  test('leaves a run that had an effect to another worker if `rerun` is always', () => {
    const { job, observer, lease } = remoteJob({ rerun: 'always' });
    lease('w1').start(1).call(1);
    job.onWorkerLost('w1', true);
    lease('w2').start(2).end();
    expect(observer.ends[0]?.type).toBe('outcome');
  });

  test('can be followed by another one: its run can be stopped and lost like the first', () => {
    const { job, link, observer, lease } = remoteJob();
    lease('w1').start(1);
    job.onWorkerLost('w1', true);
    lease('w2').start(2);
    job.stop();
    expect(link.commands.at(-1)).toMatchObject({ worker: 'w2', type: 'stop' });
    job.onWorkerLost('w2', false);
    expect(observer.failure).toEqual({
      ...WORKER_LOST,
      message: 'The worker w2 was lost during the run.',
    });
    expect(link.kills.map(({ worker }) => worker)).toEqual(['w1', 'w2']);
  });

  test('is reported once, even if the roster reports it twice', () => {
    const { job, link, lease } = remoteJob();
    lease('w1').start(1);
    job.onWorkerLost('w1', true);
    job.onWorkerLost('w1', true);
    expect(link.kills).toHaveLength(1);
  });

  test.each<[string, (lease: (worker: string) => WorkerLease) => void]>([
    ['another worker has the run', (lease) => lease('w2').start(1)],
    ['no worker has it', () => undefined],
  ])('has no effect on the job if %s', (_what, before) => {
    const { job, link, observer, lease } = remoteJob();
    before(lease);
    job.onWorkerLost('w1', false);
    expect([observer.ends, link.kills]).toEqual([[], []]);
  });

  test('leaves a job that waits for a worker: stop ends it', () => {
    const { job, link, observer, lease } = remoteJob();
    lease('w1').start(1);
    job.onWorkerLost('w1', true);
    job.stop();
    expect([observer.failure?.code, observer.failure?.ran, link.commands]).toEqual([
      'ABORTED',
      'no',
      [],
    ]);
  });

  test('that returns before another worker has started the run continues it', () => {
    const { job, observer, lease } = remoteJob();
    const at = lease('w1').start(1);
    job.onWorkerLost('w1', true);
    at.log().end();
    expect(observer.events.slice(1)).toEqual([['log', 'info', 'hello'], ['end']]);
  });
});
