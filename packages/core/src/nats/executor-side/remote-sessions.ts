import type { Job } from '@glovebox/protocol/job';

import { refuseJob } from '../../pools/refuse-job.ts';
import type { JobHandle, JobObserver, PoolSession } from '../../pools/worker-pool.ts';
import { GloveboxError } from '../../shared/errors.ts';
import type { MisuseCode } from '../../shared/errors.ts';
import { unguessable } from '../wire/subjects.ts';
import type { Link } from './executor-link.ts';

/** The sessions of an executor; each stays at the worker that opened it. */
export class RemoteSessions {
  readonly #link: Link;
  readonly #max: number;

  constructor(link: Link, max: number) {
    this.#link = link;
    this.#max = max;
  }

  get size(): number {
    return this.#link.sessions.size;
  }

  /** Opens one at the worker that has the most room. */
  async open(memoryMb: number): Promise<PoolSession> {
    if (this.size >= this.#max) {
      const message = `${this.#max} sessions are open; close one, or raise maxSessions.`;
      throw new GloveboxError('SESSION_LIMIT', message);
    }
    const session = unguessable();
    this.#link.sessions.add(session);
    try {
      return await this.#openAtAny(session, memoryMb);
    } catch (error) {
      this.#link.sessions.delete(session);
      throw error;
    }
  }

  async #openAtAny(session: string, memoryMb: number): Promise<PoolSession> {
    let refusal: { code: MisuseCode; message: string } = {
      code: 'POOL_UNAVAILABLE',
      message: 'No worker listens; start one with `glovebox worker`.',
    };
    try {
      await this.#link.findWorker();
      const { executor } = this.#link;
      for (const worker of this.#byRoom()) {
        const command = { type: 'open', executor, session, memoryMb } as const;
        const opened = await this.#link.ask(worker, command);
        if (opened === undefined) continue;
        if (opened.ok) return this.#sessionAt(worker, session, opened.host);
        const { code, message } = opened;
        refusal = { code: code === 'SESSION_UNKNOWN' ? 'POOL_UNAVAILABLE' : code, message };
      }
    } catch (cause) {
      throw new GloveboxError('POOL_UNAVAILABLE', 'No worker answered.', { cause });
    }
    throw new GloveboxError(refusal.code, refusal.message);
  }

  #byRoom(): readonly string[] {
    return this.#link.roster.listening
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
        return refuseJob(observer, 'SESSION_LOST', `The worker ${worker} of the session is gone.`);
      },
      close: async () => {
        this.#link.sessions.delete(session);
        try {
          await this.#link.ask(worker, { type: 'close', session });
        } catch {
          // It is away: it ends the session by itself once it cannot find this executor.
        }
      },
    };
  }
}
