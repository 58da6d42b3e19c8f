import { describe, expect, test } from 'vitest';

import { submitWithRetry } from '../src/pools/retry.ts';
import type { JobHandle, JobObserver, PoolEnd, PoolFailure } from '../src/pools/worker-pool.ts';
import { DONE, jobNamed, Recorder, RecordingHandle } from './support/jobs.ts';

const JOB = jobNamed('return 1');

/** A pool that keeps what is submitted, and lets the test say what becomes of it. */
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
    /** The pool's side of the attempt of that number, from 0. */
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

test('what a run says and how it ends is passed on', () => {
  const { caller, attempts, observerOf } = setUp();
  observerOf(0).onStart('host-1');
  observerOf(0).onLog('info', 'hello');
  observerOf(0).onCall(1, 'pay', 'safe:[5]');
  observerOf(0).onEnd(DONE);
  expect(caller.heard).toEqual([
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
    'without effect runs once more, alone in its host: ran %s',
    (ran) => {
      const { caller, attempts, observerOf } = setUp();
      observerOf(0).onStart('host-1');
      observerOf(0).onEnd(lost(ran));
      expect(attempts.map(({ solo }) => solo)).toEqual([false, true]);
      expect(caller.ends).toEqual([]);
      observerOf(1).onStart('host-2');
      observerOf(1).onEnd(DONE);
      expect(caller.heard).toEqual([['start', 'host-1'], ['start', 'host-2'], ['end']]);
      expect(caller.ends).toEqual([DONE]);
    },
  );

  test('twice is told so: there is no third attempt', () => {
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
    { what: 'that has logged', before: (pool) => pool.onLog('info', 'x'), end: lost('maybe') },
    {
      what: 'that has called a tool',
      before: (pool) => pool.onCall(1, 'pay', 'safe:[]'),
      end: lost('maybe'),
    },
    { what: 'that never began', end: lost('no') },
    {
      what: 'that was asked to stop',
      before: (_pool, handle) => handle.stop(),
      end: lost('maybe'),
    },
    {
      what: 'that was killed',
      before: (_pool, handle) => handle.kill('limit'),
      end: lost('maybe'),
    },
    {
      what: 'that failed otherwise',
      end: { type: 'failure', code: 'PROTOCOL_ERROR', message: 'Broken.', ran: 'maybe' },
    },
  ];
  test.each(cases)('does not run again where it is one $what', ({ before, end }) => {
    const { caller, attempts, handle, observerOf } = setUp();
    before?.(observerOf(0), handle);
    observerOf(0).onEnd(end);
    expect(attempts).toHaveLength(1);
    expect(caller.ends).toEqual([end]);
  });
});

describe('the handle', () => {
  test('is that of the attempt that is under way', () => {
    const { handle, attempts, observerOf } = setUp();
    handle.reply(1, true, 'safe:1');
    observerOf(0).onEnd(lost('maybe'));
    handle.reply(2, false, '{}');
    handle.stop();
    handle.kill('limit');
    expect(attempts.map((attempt) => attempt.handle.told)).toEqual([
      [['reply', 1, true, 'safe:1']],
      [['reply', 2, false, '{}'], ['stop'], ['kill', 'limit']],
    ]);
  });
});
