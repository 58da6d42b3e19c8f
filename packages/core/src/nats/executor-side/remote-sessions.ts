import type { Job } from '@glovebox/protocol/job';

import { refuseJob } from '../../pools/refuse-job.ts';
import type { JobHandle, JobObserver, PoolSession } from '../../pools/worker-pool.ts';
import { GloveboxError } from '../../shared/errors.ts';
import type { MisuseCode } from '../../shared/errors.ts';
import { randomName } from '../wire/subjects.ts';
import { sessionWorkerLost } from './executor-link.ts';
import type { ExecutorLink } from './executor-link.ts';

/** The sessions of an executor. A session stays at the worker that opened it. */
export class RemoteSessions {
  readonly #link: ExecutorLink;
  readonly #max: number;

  constructor(link: ExecutorLink, max: number) {
    this.#link = link;
    this.#max = max;
  }

  get size(): number {
    return this.#link.sessions.size;
  }

  /** Opens a session at the worker that has room for the most further sessions. */
  async open(memoryMb: number): Promise<PoolSession> {
    if (this.size >= this.#max) {
      const message = `${this.#max} sessions are open; close one, or raise maxSessions.`;
      throw new GloveboxError('SESSION_LIMIT', message);
    }
    const session = randomName();
    this.#link.sessions.add(session);
    try {
      return await this.#openAtAnyWorker(session, memoryMb);
    } catch (error) {
      this.#link.sessions.delete(session);
      throw error;
    }
  }

  async #openAtAnyWorker(session: string, memoryMb: number): Promise<PoolSession> {
    let refusal: { code: MisuseCode; message: string } = {
      code: 'POOL_UNAVAILABLE',
      message: 'No worker is available; start one with `glovebox worker`.',
    };
    try {
      await this.#link.findWorker();
      const { executor } = this.#link;
      for (const worker of this.#workersByRoom()) {
        const command = { type: 'open', executor, session, memoryMb } as const;
        const response = await this.#link.requestSession(worker, command);
        if (response === undefined) continue;
        if (response.ok) return this.#sessionAt(worker, session, response.host);
        const { code, message } = response;
        refusal = { code: code === 'SESSION_UNKNOWN' ? 'POOL_UNAVAILABLE' : code, message };
      }
    } catch (cause) {
      throw new GloveboxError('POOL_UNAVAILABLE', 'No worker responded.', { cause });
    }
    throw new GloveboxError(refusal.code, refusal.message);
  }

  /** Workers, first those that have room for the most further sessions. */
  #workersByRoom(): readonly string[] {
    return this.#link.roster.available
      .toSorted((a, b) => b.maxSessions - b.sessions - (a.maxSessions - a.sessions))
      .map(({ worker }) => worker);
  }

  #sessionAt(worker: string, session: string, host: string): PoolSession {
    return {
      hostId: `${worker}/${host}`,
      submit: (job: Job, observer: JobObserver): JobHandle => {
        if (this.#link.roster.has(worker)) {
          return this.#link.submitToSession(worker, session, job, observer);
        }
        return refuseJob(observer, 'SESSION_LOST', sessionWorkerLost(worker));
      },
      close: async () => {
        this.#link.sessions.delete(session);
        try {
          await this.#link.requestSession(worker, { type: 'close', session });
        } catch {
          // The worker is unreachable. It closes the session when this executor no longer responds
          // to its keep-alive requests.
        }
      },
    };
  }
}
