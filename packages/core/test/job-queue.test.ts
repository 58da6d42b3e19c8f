import { describe, expect, test, vi } from 'vitest';

import { JobQueue } from '../src/pools/job-queue.ts';
import type { JobHandle } from '../src/pools/worker-pool.ts';
import { useFakeClock } from './support/fake-clock.ts';
import { jobNamed, Recorder, RecordingHandle } from './support/jobs.ts';

useFakeClock();

interface Submitted {
  readonly handle: JobHandle;
  readonly observer: Recorder;
}

/** A queue, and slots that the test fills and frees. */
function setUp({ free = 0, maxQueue = 100, queueMs = 1000 } = {}) {
  const placed: string[] = [];
  const solos: boolean[] = [];
  const handles = new Map<string, RecordingHandle>();
  const slots = { free };
  const queue = new JobQueue({ maxQueue, queueMs }, (job, _observer, solo) => {
    if (slots.free === 0) return undefined;
    slots.free--;
    placed.push(job.code);
    solos.push(solo);
    const handle = new RecordingHandle();
    handles.set(job.code, handle);
    return handle;
  });
  return {
    queue,
    placed,
    solos,
    handles,
    slots,
    submit: (name: string, solo?: boolean): Submitted => {
      const observer = new Recorder();
      return { handle: queue.submit(jobNamed(name), observer, solo), observer };
    },
    /** Frees slots, and pumps the queue as a pool does. */
    release: (count: number): void => {
      slots.free += count;
      queue.pump();
    },
  };
}

describe('order', () => {
  test('a job starts at once if a slot is free and no job waits', () => {
    const { queue, submit, placed } = setUp({ free: 1 });
    submit('a');
    expect([placed, queue.size, vi.getTimerCount()]).toEqual([['a'], 0, 0]);
  });

  test('jobs start in the order of submission, one for each slot that gets free', () => {
    const { queue, submit, placed, release } = setUp();
    for (const name of ['a', 'b', 'c', 'd', 'e']) submit(name);
    expect([placed, queue.size]).toEqual([[], 5]);
    release(1);
    expect([placed, queue.size]).toEqual([['a'], 4]);
    release(3);
    expect([placed, queue.size]).toEqual([['a', 'b', 'c', 'd'], 1]);
    release(9);
    expect([placed, queue.size]).toEqual([['a', 'b', 'c', 'd', 'e'], 0]);
  });

  test('a job does not overtake waiting jobs, even if a slot is free', () => {
    const { queue, submit, placed, slots } = setUp();
    submit('a');
    slots.free = 2;
    submit('b');
    expect(placed).toEqual([]);
    queue.pump();
    expect(placed).toEqual(['a', 'b']);
  });

  test('a queue that was empty in between keeps the order', () => {
    const { submit, placed, release, slots } = setUp();
    submit('a');
    release(1);
    slots.free = 1;
    submit('b');
    submit('c');
    submit('d');
    release(2);
    expect(placed).toEqual(['a', 'b', 'c', 'd']);
  });

  test.each([
    ['at once', 3, 0],
    ['after a wait', 0, 3],
  ])('a job is solo only if it was submitted as solo: started %s', (_when, free, later) => {
    const { submit, solos, release } = setUp({ free });
    submit('a');
    submit('b', true);
    submit('c', false);
    release(later);
    expect(solos).toEqual([false, true, false]);
  });

  test('a call of pump within pump starts no job twice', () => {
    let free = 0;
    const placed: string[] = [];
    const queue = new JobQueue({ maxQueue: 10, queueMs: 1000 }, (job) => {
      // A pool that notices a lost host while it starts a job pumps again.
      queue.pump();
      if (free === 0) return undefined;
      free--;
      placed.push(job.code);
      return new RecordingHandle();
    });
    for (const name of ['a', 'b', 'c']) queue.submit(jobNamed(name), new Recorder());
    free = 2;
    queue.pump();
    expect([placed, queue.size]).toEqual([['a', 'b'], 1]);
    free = 1;
    queue.pump();
    expect([placed, queue.size]).toEqual([['a', 'b', 'c'], 0]);
  });

  test('the queue can still be pumped after a pump that threw', () => {
    const place = vi.fn<() => RecordingHandle>();
    const queue = new JobQueue({ maxQueue: 10, queueMs: 1000 }, place);
    queue.submit(jobNamed('a'), new Recorder());
    place.mockImplementationOnce(() => {
      throw new Error('no slot');
    });
    expect(() => queue.pump()).toThrow('no slot');
    place.mockImplementation(() => new RecordingHandle());
    queue.pump();
    expect(queue.size).toBe(0);
  });
});

describe('the deadline', () => {
  test('is queueMs after the submission of each job', () => {
    const { queue, submit } = setUp({ queueMs: 1000 });
    const first = submit('a');
    vi.advanceTimersByTime(400);
    const second = submit('b');
    vi.advanceTimersByTime(599);
    expect(first.observer.ends).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(first.observer.ends).toEqual([
      {
        type: 'failure',
        code: 'QUEUE_TIMEOUT',
        message: 'No slot got free within 1000 ms; add hosts or raise queueMs.',
        ran: 'no',
        limit: 1000,
        used: 1000,
      },
    ]);
    vi.advanceTimersByTime(399);
    expect([second.observer.ends.length, queue.size]).toEqual([0, 1]);
    vi.advanceTimersByTime(1);
    expect([second.observer.failure?.code, queue.size]).toEqual(['QUEUE_TIMEOUT', 0]);
  });

  test('ends a job once, and the job never starts', () => {
    const { submit, placed, release } = setUp({ queueMs: 10 });
    const { handle, observer } = submit('a');
    vi.advanceTimersByTime(10);
    handle.stop();
    handle.kill('abort');
    handle.reply(1, true, 'safe:1');
    release(1);
    expect([observer.ends.length, placed]).toEqual([1, []]);
  });

  test('does not end a job that started in time', () => {
    const { submit, release } = setUp({ queueMs: 10 });
    const { observer } = submit('a');
    vi.advanceTimersByTime(9);
    release(1);
    vi.advanceTimersByTime(1000);
    expect(observer.ends).toEqual([]);
  });

  test('uses one timer for any number of jobs, and none for an empty queue', () => {
    const { submit, release } = setUp({ maxQueue: 1000, queueMs: 1000 });
    for (let n = 0; n < 1000; n++) submit(String(n));
    expect(vi.getTimerCount()).toBe(1);
    release(999);
    expect(vi.getTimerCount()).toBe(1);
    release(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is the only time at which the timer fires', () => {
    const { submit } = setUp({ queueMs: 1000 });
    const start = performance.now();
    submit('a');
    vi.advanceTimersByTime(400);
    submit('b');
    const wokeAt = [1, 2].map(() => {
      vi.advanceTimersToNextTimer();
      return performance.now() - start;
    });
    expect(wokeAt).toEqual([1000, 1400]);
  });

  test('of a job stays the same if the job before it starts', () => {
    const { submit, release } = setUp({ queueMs: 1000 });
    submit('a');
    vi.advanceTimersByTime(300);
    const second = submit('b');
    release(1);
    vi.advanceTimersByTime(999);
    expect(second.observer.ends).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(second.observer.failure).toMatchObject({ code: 'QUEUE_TIMEOUT', used: 1000 });
  });

  test('lets the observer submit the job again: it waits behind the others, with a new deadline', () => {
    const { queue, submit, placed, release } = setUp({ queueMs: 1000 });
    const again = new Recorder();
    const first = new Recorder();
    first.onEnd = () => void queue.submit(jobNamed('a again'), again);
    queue.submit(jobNamed('a'), first);
    vi.advanceTimersByTime(500);
    submit('b');
    vi.advanceTimersByTime(500);
    expect(queue.size).toBe(2);
    release(2);
    expect([placed, again.ends]).toEqual([['b', 'a again'], []]);
  });
});

describe('a full queue', () => {
  test('refuses a job in a microtask, because the caller has no handle yet', async () => {
    const { queue, submit, placed, release } = setUp({ maxQueue: 2 });
    submit('a');
    submit('b');
    const { observer } = submit('c');
    expect([observer.ends.length, queue.size]).toEqual([0, 2]);
    await Promise.resolve();
    expect(observer.ends).toEqual([
      {
        type: 'failure',
        code: 'QUEUE_FULL',
        message: '2 runs are waiting already; raise maxQueue, add hosts, or submit fewer runs.',
        ran: 'no',
        limit: 2,
        used: 3,
      },
    ]);
    release(3);
    expect(placed).toEqual(['a', 'b']);
  });

  test('accepts a job again after another one has started', async () => {
    const { submit, release } = setUp({ maxQueue: 1 });
    submit('a');
    release(1);
    const { observer } = submit('b');
    await Promise.resolve();
    expect(observer.ends).toEqual([]);
  });

  test('of size 0 accepts only jobs that can start at once', async () => {
    const { submit, placed } = setUp({ free: 1, maxQueue: 0 });
    submit('a');
    const { observer } = submit('b');
    await Promise.resolve();
    expect([placed, observer.failure?.code]).toEqual([['a'], 'QUEUE_FULL']);
  });
});

describe('a waiting job that is stopped', () => {
  const all = ['a', 'b', 'c', 'd', 'e'];

  test.each([
    ['the first', 'a', 'stop'],
    ['the second', 'b', 'kill'],
    ['one in the middle', 'c', 'stop'],
    ['the last', 'e', 'kill'],
  ] as const)('%s keeps the order of the others', (_which, gone, how) => {
    const { queue, submit, placed, release } = setUp();
    const jobs = new Map(all.map((name) => [name, submit(name)]));
    const job = jobs.get(gone);
    if (how === 'stop') job?.handle.stop();
    else job?.handle.kill('abort');
    expect(job?.observer.ends).toEqual([
      {
        type: 'failure',
        code: 'ABORTED',
        message: 'The run was stopped before it began.',
        ran: 'no',
      },
    ]);
    expect(queue.size).toBe(4);
    submit('f');
    release(9);
    expect(placed).toEqual([...all, 'f'].filter((name) => name !== gone));
  });

  test('the queue is empty and has no timer after all were stopped', () => {
    const { queue, submit } = setUp();
    const handles = all.map((name) => submit(name).handle);
    for (const index of [0, 4, 1, 3, 2]) handles[index]?.stop();
    expect([queue.size, vi.getTimerCount()]).toEqual([0, 0]);
  });

  test('ends once, even if it is stopped several times', () => {
    const { submit } = setUp();
    const { handle, observer } = submit('a');
    handle.stop();
    handle.stop();
    handle.kill('abort');
    expect(observer.ends).toHaveLength(1);
  });
});

describe('the handle of a started job', () => {
  test.each([
    ['at once', 1, 0],
    ['after a wait', 0, 1],
  ])('passes calls on to the handle of the pool: started %s', (_when, free, later) => {
    const { submit, handles, release } = setUp({ free });
    const { handle } = submit('a');
    release(later);
    handle.reply(1, true, 'safe:2');
    handle.stop();
    handle.kill('limit');
    expect(handles.get('a')?.calls).toEqual([
      ['reply', 1, true, 'safe:2'],
      ['stop'],
      ['kill', 'limit'],
    ]);
  });
});

describe('refuseAll', () => {
  test.each<[string, { readonly cause?: unknown }]>([
    ['with a cause', { cause: new Error('no host') }],
    ['without one', {}],
  ])('ends every waiting job, %s', (_what, more) => {
    const { queue, submit, placed, release } = setUp();
    const jobs = ['a', 'b'].map((name) => submit(name));
    queue.refuseAll('HOST_LOST', 'No host starts.', more.cause);
    for (const { observer } of jobs) {
      expect(observer.ends).toEqual([
        { type: 'failure', code: 'HOST_LOST', message: 'No host starts.', ran: 'no', ...more },
      ]);
    }
    release(2);
    expect([placed, queue.size, vi.getTimerCount()]).toEqual([[], 0, 0]);
  });
});
