import type { Job } from '@glovebox/protocol/job';

import { refuseJob } from '../pools/refuse-job.ts';
import type { JobHandle, JobObserver, PoolSession } from '../pools/worker-pool.ts';
import type { Outcome } from './outcome.ts';
import type { RunOptions } from './run-options.ts';

type Submit = (job: Job, observer: JobObserver) => JobHandle;

/**
 * One isolate that keeps its state between runs, in a host of its own. Runs are executed one after
 * the other. If a limit stops a run, the isolate is lost, and later runs get `SESSION_LOST`.
 */
export class Session implements AsyncDisposable {
  readonly #slot: PoolSession;
  readonly #start: (options: RunOptions, submit: Submit) => Promise<Outcome>;
  readonly #onClose: () => void;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  /** Use `executor.openSession` to create a session. */
  constructor(
    slot: PoolSession,
    start: (options: RunOptions, submit: Submit) => Promise<Outcome>,
    onClose: () => void,
  ) {
    this.#slot = slot;
    this.#start = start;
    this.#onClose = onClose;
  }

  /** The host or thread of the session. */
  get hostId(): string {
    return this.#slot.hostId;
  }

  /** Runs code like `executor.run`, after all earlier runs of the session have ended. */
  async run<T = unknown>(options: RunOptions): Promise<Outcome<T>> {
    const outcome = this.#last.then(() => this.#start(options, this.#submit));
    // The next run waits for the end of this one, even if this one rejects.
    this.#last = outcome.catch(() => undefined);
    return (await outcome) as Outcome<T>;
  }

  /** Ends the session and its host. A run that has not ended gets `SESSION_UNKNOWN`. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#onClose();
    await this.#slot.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  readonly #submit: Submit = (job, observer) => {
    if (!this.#closed) return this.#slot.submit(job, observer);
    return refuseJob(observer, 'SESSION_UNKNOWN', 'The session was closed.');
  };
}
