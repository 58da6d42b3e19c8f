import { RequestError } from '@nats-io/nats-core';
import type { NatsConnection } from '@nats-io/nats-core';

import type { PoolSession, WorkerPool } from '../../pools/worker-pool.ts';
import { isGloveboxError } from '../../shared/errors.ts';
import type { Command, SessionResponse } from '../wire/nats-messages.ts';

/** The interval and the time-out of keep-alive requests to the executor of a session. */
const KEEP_ALIVE_MS = 10_000;
/** A session closes after this many keep-alive requests in a row without a response. */
const MAX_UNANSWERED = 6;

interface OpenSession {
  readonly slot: PoolSession;
  readonly timer: NodeJS.Timeout;
}

/** The open sessions of a worker. Each belongs to one executor. */
export class WorkerSessions {
  readonly #pool: WorkerPool;
  readonly #nats: NatsConnection;
  readonly #max: number;
  readonly #maxMemoryMb: number;
  readonly #sessions = new Map<string, OpenSession>();
  #opening = 0;

  constructor(pool: WorkerPool, nats: NatsConnection, max: number, maxMemoryMb: number) {
    this.#pool = pool;
    this.#nats = nats;
    this.#max = max;
    this.#maxMemoryMb = maxMemoryMb;
  }

  get size(): number {
    return this.#sessions.size + this.#opening;
  }

  find(session: string): PoolSession | undefined {
    return this.#sessions.get(session)?.slot;
  }

  /** @param subject The subject of keep-alive requests to the executor. */
  async open(
    { session, memoryMb }: Extract<Command, { readonly type: 'open' }>,
    subject: string,
  ): Promise<SessionResponse> {
    if (this.size >= this.#max) {
      const message = `The worker already has ${this.#max} open sessions.`;
      return { ok: false, code: 'SESSION_LIMIT', message };
    }
    this.#opening++;
    try {
      const slot = await this.#pool.openSession(Math.min(memoryMb, this.#maxMemoryMb));
      this.#add(session, subject, slot);
      return { ok: true, host: slot.hostId };
    } catch (error) {
      const message = error instanceof Error ? error.message.slice(0, 1000) : '';
      const isLimit = isGloveboxError(error) && error.code === 'SESSION_LIMIT';
      return { ok: false, code: isLimit ? 'SESSION_LIMIT' : 'POOL_UNAVAILABLE', message };
    } finally {
      this.#opening--;
    }
  }

  async close(session: string): Promise<void> {
    const found = this.#sessions.get(session);
    if (found === undefined) return;
    this.#sessions.delete(session);
    clearInterval(found.timer);
    await found.slot.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((session) => this.close(session)));
  }

  #add(session: string, subject: string, slot: PoolSession): void {
    let unanswered = 0;
    const keepAlive = async (): Promise<void> => {
      try {
        await this.#nats.request(subject, '', { timeout: KEEP_ALIVE_MS });
        unanswered = 0;
      } catch (error) {
        const isExecutorGone = error instanceof RequestError && error.isNoResponders();
        unanswered++;
        if (isExecutorGone || unanswered >= MAX_UNANSWERED) await this.close(session);
      }
    };
    const timer = setInterval(() => void keepAlive(), KEEP_ALIVE_MS);
    this.#sessions.set(session, { slot, timer });
  }
}
