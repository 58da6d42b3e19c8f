import { describe, expect, test } from 'vitest';

import { submitWithRetry } from '../src/pools/retry.ts';
import type { JobHandle, JobObserver, PoolEnd, PoolFailure } from '../src/pools/worker-pool.ts';
import { DONE, jobNamed, Recorder, RecordingHandle } from './support/jobs.ts';

const JOB = jobNamed('return 1');

/** A pool that records submissions; the test decides how they end. */
function setUp() {
  const attempts: { observer: JobObserver; handle: RecordingHandle; solo: boolean }[] = [];
  const caller = new Recorder();
  const handle = submitWithRetry(
    (job, observer, solo): JobHandle => {
      expect(job).toBe(JOB);
      const attempt = { observer, handle: new RecordingHandle(), solo };
      attempts.push(attempt);
      return attempt.handle;
    },
    JOB,
    caller,
  );
  return {
    caller,
    handle,
    attempts,
    /** The observer of an attempt, counted from 0. */
    observerOf: (index: number): JobObserver => {
      const attempt = attempts[index];
      if (attempt === undefined) throw new Error(`There is no attempt ${index}.`);
      return attempt.observer;
    },
  };
}

function lost(ran: PoolFailure['ran']): PoolFailure {
  return { type: 'failure', code: 'HOST_LOST', message: 'Gone.', ran };
}

test('the events and the end of a run are passed on', () => {
  const { caller, attempts, observerOf } = setUp();
  observerOf(0).onStart('host-1');
  observerOf(0).onLog('info', 'hello');
  observerOf(0).onCall(1, 'pay', 'safe:[5]');
  observerOf(0).onEnd(DONE);
  expect(caller.events).toEqual([
    ['start', 'host-1'],
    ['log', 'info', 'hello'],
    ['call', 1, 'pay', 'safe:[5]'],
    ['end'],
  ]);
  expect(caller.ends).toEqual([DONE]);
  expect(attempts.map(({ solo }) => solo)).toEqual([false]);
});

describe('a run whose host was lost', () => {
  test.each(['maybe', 'yes'] as const)(
    'is submitted once more, as a solo job, if it had no effect: ran %s',
    (ran) => {
      const { caller, attempts, observerOf } = setUp();
      observerOf(0).onStart('host-1');
      observerOf(0).onEnd(lost(ran));
      expect(attempts.map(({ solo }) => solo)).toEqual([false, true]);
      expect(caller.ends).toEqual([]);
      observerOf(1).onStart('host-2');
      observerOf(1).onEnd(DONE);
      expect(caller.events).toEqual([['start', 'host-1'], ['start', 'host-2'], ['end']]);
      expect(caller.ends).toEqual([DONE]);
    },
  );

  test('is not submitted a third time after a second loss', () => {
    const { caller, attempts, observerOf } = setUp();
    observerOf(0).onEnd(lost('maybe'));
    observerOf(1).onEnd(lost('yes'));
    expect(attempts).toHaveLength(2);
    expect(caller.ends).toEqual([lost('yes')]);
  });

  interface Case {
    readonly what: string;
    readonly before?: (pool: JobObserver, handle: JobHandle) => void;
    readonly end: PoolEnd;
  }
  const cases: readonly Case[] = [
    { what: 'has logged', before: (pool) => pool.onLog('info', 'x'), end: lost('maybe') },
    {
      what: 'has called a tool',
      before: (pool) => pool.onCall(1, 'pay', 'safe:[]'),
      end: lost('maybe'),
    },
    { what: 'never started', end: lost('no') },
    {
      what: 'was stopped',
      before: (_pool, handle) => handle.stop(),
      end: lost('maybe'),
    },
    {
      what: 'was killed',
      before: (_pool, handle) => handle.kill('limit'),
      end: lost('maybe'),
    },
    {
      what: 'failed with another code',
      end: { type: 'failure', code: 'PROTOCOL_ERROR', message: 'Broken.', ran: 'maybe' },
    },
  ];
  test.each(cases)('is not submitted again if it $what', ({ before, end }) => {
    const { caller, attempts, handle, observerOf } = setUp();
    before?.(observerOf(0), handle);
    observerOf(0).onEnd(end);
    expect(attempts).toHaveLength(1);
    expect(caller.ends).toEqual([end]);
  });
});

describe('the handle', () => {
  test('passes calls on to the current attempt', () => {
    const { handle, attempts, observerOf } = setUp();
    handle.reply(1, true, 'safe:1');
    observerOf(0).onEnd(lost('maybe'));
    handle.reply(2, false, '{}');
    handle.stop();
    handle.kill('limit');
    expect(attempts.map((attempt) => attempt.handle.calls)).toEqual([
      [['reply', 1, true, 'safe:1']],
      [['reply', 2, false, '{}'], ['stop'], ['kill', 'limit']],
    ]);
  });
});
