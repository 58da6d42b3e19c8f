import { describe, expect, test } from 'vitest';

import type { LeaseVoice } from './support/remote-job.ts';
import { remoteJob } from './support/remote-job.ts';

const LOST_ON_THE_WAY = {
  type: 'failure',
  code: 'HOST_LOST',
  message: 'Messages between the worker and the executor were lost during the run.',
  ran: 'maybe',
};

describe('a message that is lost', () => {
  test.each<[string, (at: LeaseVoice) => void]>([
    ['between two others', (at) => at.log().lose().log()],
    ['before the last word', (at) => at.lose().end()],
    ['before a failure', (at) => at.lose().fail()],
    ['before a question whether the run is wanted', (at) => at.lose().alive()],
    ['of many', (at) => at.lose(5).call(1)],
    ['as one that comes twice', (at) => at.lose(-1).log()],
  ])('%s ends the run: nobody knows what it was', (_where, say) => {
    const { link, observer, lease, killOf } = remoteJob();
    const at = lease('w1').start();
    say(at);
    expect(observer.failure).toEqual(LOST_ON_THE_WAY);
    expect([link.commands, link.removals, link.resubmissions]).toEqual([[killOf(at)], [false], 0]);
  });

  test('before the first word that is heard ends the run as well', () => {
    const { observer, lease } = remoteJob();
    lease('w1').lose().start();
    expect(observer.failure).toEqual(LOST_ON_THE_WAY);
  });
});

describe('a start that was lost', () => {
  test('makes the job be submitted again, once for the lease, which is ended', () => {
    const { job, link, observer, lease, killOf } = remoteJob();
    const at = lease('w1').lose().log().call(1).alive();
    expect([link.resubmissions, job.isWaiting, at.confirmed]).toEqual([1, true, 0]);
    expect(link.commands).toEqual([killOf(at), killOf(at), killOf(at)]);
    expect(observer.heard).toEqual([]);
    lease('w2').start().end('safe:2');
    expect(observer.heard).toEqual([['start', 'w2/host-1', 0], ['end']]);
  });

  test('of a run that is done needs nobody to be ended', () => {
    const { link, lease } = remoteJob();
    lease('w1').lose().end();
    expect([link.resubmissions, link.commands, link.confirmedEnds]).toEqual([1, [], ['w1/1']]);
  });

  test('is made good twice; the third one ends the job', () => {
    const { link, observer, lease } = remoteJob();
    lease('w1', 1).lose().log();
    lease('w2', 1).lose().log();
    expect([link.resubmissions, observer.ends]).toEqual([2, []]);
    // The same worker, with another lease.
    lease('w1', 2).lose().log();
    expect([link.resubmissions, observer.failure]).toEqual([2, LOST_ON_THE_WAY]);
  });

  test('ends a job of a session: nobody else has its isolate', () => {
    const { link, observer, lease } = remoteJob({ isInSession: true });
    lease('w1').lose().log();
    expect([link.resubmissions, observer.failure]).toEqual([0, LOST_ON_THE_WAY]);
  });
});

describe('a job that is delivered anew', () => {
  test('is that of the newest delivery: the one before is ended and not heard any more', () => {
    const { link, observer, lease, killOf } = remoteJob();
    const before = lease('w1', 3).start(1);
    lease('w2', 8).start(2).log('second');
    expect(link.commands).toEqual([killOf(before)]);
    before.log('first').call(1).alive();
    expect(link.commands).toEqual([killOf(before), killOf(before), killOf(before), killOf(before)]);
    expect(before.confirmed).toBe(0);
    expect(observer.heard).toEqual([
      ['start', 'w1/host-1', 0],
      ['start', 'w2/host-1', 0],
      ['log', 'info', 'second'],
    ]);
  });

  test('may be so to the same worker, under another lease', () => {
    const { observer, lease } = remoteJob();
    const before = lease('w1', 1).start(1);
    const now = lease('w1', 2).start(2);
    before.end('safe:"before"');
    now.end('safe:"now"');
    expect(observer.ends).toMatchObject([{ outcome: { text: 'safe:"now"' } }]);
  });

  test('does not end by the last word of the one before, which is confirmed all the same', () => {
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
  ])('under %s number of attempts is an old one: it is ended', (_what, attempt) => {
    const { link, observer, lease, killOf } = remoteJob();
    const now = lease('w2').start(2);
    const old = lease('w1').start(attempt);
    expect(link.commands).toEqual([killOf(old)]);
    now.end();
    expect(observer.heard).toEqual([['start', 'w2/host-1', 0], ['end']]);
  });

  describe('after it had an effect', () => {
    test.each<[string, (at: LeaseVoice) => void]>([
      ['a log', (at) => at.log()],
      ['a tool call', (at) => at.call(1)],
    ])('such as %s is given up, and both are ended', (_what, say) => {
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

    test('runs again where that is asked for: its calls get new numbers', () => {
      const { job, link, observer, lease } = remoteJob({ rerun: 'always' });
      lease('w1', 1).start(1).log().call(1).call(2);
      lease('w2', 5).start(2).call(1);
      expect(observer.heard.slice(1)).toEqual([
        ['log', 'info', 'hello'],
        ['call', 1, 'pay', 'safe:[]'],
        ['call', 2, 'pay', 'safe:[]'],
        ['start', 'w2/host-1', 0],
        ['call', 3, 'pay', 'safe:[]'],
      ]);
      link.commands.length = 0;
      // Nobody waits for the first one's answers any more.
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
    ['three attempts, whatever may be run again', { rerun: 'always' }, [1, 2, 3], 4, true],
    ['three attempts, not all of which were heard of', {}, [3], 4, true],
    ['two attempts', {}, [1, 2], 3, false],
    ['one attempt in a session', { isInSession: true }, [1], 2, true],
  ] as const)('after %s is given up or not', (_what, setup, attempts, next, isGivenUp) => {
    const { observer, lease } = remoteJob(setup);
    for (const attempt of attempts) lease(`w${attempt}`).start(attempt);
    expect(observer.ends).toEqual([]);
    lease(`w${next}`).start(next);
    expect(observer.failure?.code).toBe(isGivenUp ? 'HOST_LOST' : undefined);
  });
});

describe('a worker that falls silent', () => {
  const SILENT = {
    type: 'failure',
    code: 'HOST_LOST',
    message: 'The worker w1 was lost during the run.',
    ran: 'maybe',
  };

  test('leaves its run to another one', () => {
    const { job, link, observer, lease } = remoteJob();
    lease('w1').start(1);
    job.onWorkerLost('w1', true);
    expect([observer.ends, link.kills]).toEqual([[], [{ worker: 'w1', code: 'return 1' }]]);
    lease('w2').start(2).end('safe:2');
    expect(observer.ends).toMatchObject([{ outcome: { text: 'safe:2' } }]);
  });

  test.each([
    ['nobody else is there', {}, 1, false, false],
    ['the run had an effect', {}, 1, true, true],
    ['it was the third attempt', {}, 3, false, true],
    ['the run is one of a session', { isInSession: true }, 1, false, true],
  ])('takes its run with it where %s', (_why, setup, attempt, hasEffect, isAnyoneLeft) => {
    const { job, link, observer, lease } = remoteJob(setup);
    const at = lease('w1').start(attempt);
    if (hasEffect) at.log();
    job.onWorkerLost('w1', isAnyoneLeft);
    expect([observer.failure, link.removals]).toEqual([SILENT, [false]]);
    expect(link.kills).toEqual([{ worker: 'w1', code: 'return 1' }]);
  });

  test('leaves a run that had an effect to another one where that is asked for', () => {
    const { job, observer, lease } = remoteJob({ rerun: 'always' });
    lease('w1').start(1).call(1);
    job.onWorkerLost('w1', true);
    lease('w2').start(2).end();
    expect(observer.ends[0]?.type).toBe('outcome');
  });

  test('is not the last one that may: whoever has the run then is stopped, or lost, as the first', () => {
    const { job, link, observer, lease } = remoteJob();
    lease('w1').start(1);
    job.onWorkerLost('w1', true);
    lease('w2').start(2);
    job.stop();
    expect(link.commands.at(-1)).toMatchObject({ worker: 'w2', type: 'stop' });
    job.onWorkerLost('w2', false);
    expect(observer.failure).toEqual({
      ...SILENT,
      message: 'The worker w2 was lost during the run.',
    });
    expect(link.kills.map(({ worker }) => worker)).toEqual(['w1', 'w2']);
  });

  test('is blamed once, however often it is said to be lost', () => {
    const { job, link, lease } = remoteJob();
    lease('w1').start(1);
    job.onWorkerLost('w1', true);
    job.onWorkerLost('w1', true);
    expect(link.kills).toHaveLength(1);
  });

  test.each<[string, (lease: (worker: string) => LeaseVoice) => void]>([
    ['another worker has the run', (lease) => lease('w2').start(1)],
    ['nobody has it', () => undefined],
  ])('is no matter where %s', (_what, before) => {
    const { job, link, observer, lease } = remoteJob();
    before(lease);
    job.onWorkerLost('w1', false);
    expect([observer.ends, link.kills]).toEqual([[], []]);
  });

  test('and is waited for: a stop takes the job back', () => {
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

  test('but comes back before anybody else has begun goes on with it', () => {
    const { job, observer, lease } = remoteJob();
    const at = lease('w1').start(1);
    job.onWorkerLost('w1', true);
    at.log().end();
    expect(observer.heard.slice(1)).toEqual([['log', 'info', 'hello'], ['end']]);
  });
});
