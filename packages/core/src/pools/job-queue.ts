import type { Job } from '@glovebox/protocol/job';

import { debugLog, ms } from '../shared/debug-log.ts';
import type { JobHandle, JobObserver, PoolFailure } from './worker-pool.ts';

/** One job: a node of a doubly linked list while it is queued. */
interface Entry {
  readonly job: Job;
  /** Whether the job must be alone in its host. */
  readonly solo: boolean;
  readonly observer: JobObserver;
  /** When it was submitted, by `performance.now()`. */
  readonly since: number;
  /** The handle that the slot gave; undefined until the job starts. */
  handle: JobHandle | undefined;
  queued: boolean;
  previous: Entry | undefined;
  next: Entry | undefined;
}

/** Starts a job, or returns undefined if there is no free slot for it. */
export type TryStart = (job: Job, observer: JobObserver, solo: boolean) => JobHandle | undefined;

export interface QueueOptions {
  /** The most jobs that may wait. */
  readonly maxQueue: number;
  /** The longest time that a job may wait, in milliseconds. */
  readonly queueMs: number;
}

/**
 * First-in, first-out queue of jobs that wait for a slot. Removing a job takes constant time. One
 * timer is enough for all deadlines, because every job may wait for the same time.
 */
export class JobQueue {
  readonly #options: QueueOptions;
  readonly #tryStart: TryStart;
  #first: Entry | undefined;
  #last: Entry | undefined;
  #size = 0;
  #timer: NodeJS.Timeout | undefined;
  #pumping = false;

  constructor(options: QueueOptions, tryStart: TryStart) {
    this.#options = options;
    this.#tryStart = tryStart;
  }

  get size(): number {
    return this.#size;
  }

  /** Submits a job. It starts at once if there is a free slot and no other job is waiting. */
  submit(job: Job, observer: JobObserver, solo = false): JobHandle {
    const entry: Entry = {
      job,
      solo,
      observer,
      since: performance.now(),
      handle: undefined,
      queued: false,
      previous: undefined,
      next: undefined,
    };
    if (this.#first === undefined) entry.handle = this.#tryStart(job, observer, solo);
    if (entry.handle === undefined) this.#enqueue(entry);
    return {
      reply: (callId, ok, text) => entry.handle?.reply(callId, ok, text),
      stop: () => {
        if (entry.queued) this.#refuse(entry, 'ABORTED', 'The run was stopped before it began.');
        else entry.handle?.stop();
      },
      kill: (why) => {
        if (entry.queued) this.#refuse(entry, 'ABORTED', 'The run was stopped before it began.');
        else entry.handle?.kill(why);
      },
    };
  }

  /** Starts waiting jobs while there are free slots. The pool calls it whenever a slot gets free. */
  pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      for (let entry = this.#first; entry !== undefined; entry = this.#first) {
        const handle = this.#tryStart(entry.job, entry.observer, entry.solo);
        if (handle === undefined) return;
        this.#remove(entry);
        entry.handle = handle;
        if (debugLog.enabled) {
          const waited = ms(performance.now() - entry.since);
          debugLog('queue: a run got a slot after %s, waiting: %d', waited, this.#size);
        }
      }
    } finally {
      this.#pumping = false;
    }
  }

  /** Ends every waiting job with a failure. */
  refuseAll(code: PoolFailure['code'], message: string, cause?: unknown): void {
    for (let entry = this.#first; entry !== undefined; entry = this.#first) {
      this.#refuse(entry, code, message, cause);
    }
  }

  #enqueue(entry: Entry): void {
    if (this.#size >= this.#options.maxQueue) {
      // In a microtask, because the caller does not have the handle yet.
      queueMicrotask(() =>
        entry.observer.onEnd({
          type: 'failure',
          code: 'QUEUE_FULL',
          message: `${this.#size} runs are waiting already; raise maxQueue, add hosts, or submit fewer runs.`,
          ran: 'no',
          limit: this.#options.maxQueue,
          used: this.#size + 1,
        }),
      );
      return;
    }
    entry.queued = true;
    entry.previous = this.#last;
    if (this.#last === undefined) this.#first = entry;
    else this.#last.next = entry;
    this.#last = entry;
    this.#size++;
    if (debugLog.enabled) debugLog('queue: a run waits for a slot, waiting: %d', this.#size);
    this.#arm();
  }

  #remove(entry: Entry): void {
    entry.queued = false;
    if (entry.previous === undefined) this.#first = entry.next;
    else entry.previous.next = entry.next;
    if (entry.next === undefined) this.#last = entry.previous;
    else entry.next.previous = entry.previous;
    entry.previous = undefined;
    entry.next = undefined;
    this.#size--;
    if (this.#size === 0) this.#disarm();
  }

  #refuse(entry: Entry, code: PoolFailure['code'], message: string, cause?: unknown): void {
    this.#remove(entry);
    const failure: PoolFailure = { type: 'failure', code, message, ran: 'no' };
    entry.observer.onEnd(cause === undefined ? failure : { ...failure, cause });
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#first === undefined) return;
    const left = this.#first.since + this.#options.queueMs - performance.now();
    this.#timer = setTimeout(() => this.#expire(), Math.max(1, Math.ceil(left)));
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #expire(): void {
    this.#disarm();
    const { queueMs } = this.#options;
    const now = performance.now();
    for (let entry = this.#first; entry !== undefined; entry = this.#first) {
      const waited = now - entry.since;
      if (waited < queueMs) break;
      this.#remove(entry);
      entry.observer.onEnd({
        type: 'failure',
        code: 'QUEUE_TIMEOUT',
        message: `No slot got free within ${queueMs} ms; add hosts or raise queueMs.`,
        ran: 'no',
        limit: queueMs,
        used: Math.round(waited),
      });
    }
    this.#arm();
  }
}
