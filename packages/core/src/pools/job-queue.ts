import type { Job } from '@glovebox/protocol/job';

import { debugLog, ms } from '../shared/debug-log.ts';
import type { JobHandle, JobObserver, PoolFailure } from './worker-pool.ts';

interface Entry {
  readonly job: Job;
  readonly solo: boolean;
  readonly observer: JobObserver;
  readonly since: number;
  /** The job's handle once it has a slot. */
  handle: JobHandle | undefined;
  queued: boolean;
  previous: Entry | undefined;
  next: Entry | undefined;
}

/** Starts a job if there is a free slot for it. */
export type Place = (job: Job, observer: JobObserver, solo: boolean) => JobHandle | undefined;

export interface QueueOptions {
  /** How many jobs may wait. */
  readonly maxQueue: number;
  /** How long one may wait, in milliseconds. */
  readonly queueMs: number;
}

/**
 * Jobs that wait for a slot, in the order in which they came. Taking one out of the middle costs
 * the same at any length, and one timer serves all deadlines, since all wait equally long.
 */
export class JobQueue {
  readonly #options: QueueOptions;
  readonly #place: Place;
  #first: Entry | undefined;
  #last: Entry | undefined;
  #size = 0;
  #timer: NodeJS.Timeout | undefined;
  #pumping = false;

  constructor(options: QueueOptions, place: Place) {
    this.#options = options;
    this.#place = place;
  }

  get size(): number {
    return this.#size;
  }

  /** Takes a job; it starts at once if there is a slot and nobody before it. */
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
    if (this.#first === undefined) entry.handle = this.#place(job, observer, solo);
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

  /** Starts waiting jobs while there are free slots. To be called whenever one gets free. */
  pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      for (let entry = this.#first; entry !== undefined; entry = this.#first) {
        const handle = this.#place(entry.job, entry.observer, entry.solo);
        if (handle === undefined) return;
        this.#remove(entry);
        entry.handle = handle;
        if (debugLog.enabled) {
          const waited = ms(performance.now() - entry.since);
          debugLog('queue: a run has a slot after %s, waiting: %d', waited, this.#size);
        }
      }
    } finally {
      this.#pumping = false;
    }
  }

  /** Ends every waiting job. */
  refuseAll(code: PoolFailure['code'], message: string, cause?: unknown): void {
    for (let entry = this.#first; entry !== undefined; entry = this.#first) {
      this.#refuse(entry, code, message, cause);
    }
  }

  #enqueue(entry: Entry): void {
    if (this.#size >= this.#options.maxQueue) {
      // In a later tick: the caller has no handle yet.
      queueMicrotask(() =>
        entry.observer.onEnd({
          type: 'failure',
          code: 'QUEUE_FULL',
          message: `${this.#size} runs wait already; raise maxQueue, add hosts, or send fewer.`,
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
