import { RequestError } from '@nats-io/nats-core';
import type { NatsConnection } from '@nats-io/nats-core';

import type { PoolSession, WorkerPool } from '../../pools/worker-pool.ts';
import { isGloveboxError } from '../../shared/errors.ts';
import type { Command, Opened } from '../wire/nats-messages.ts';

/** How often a session asks whether its executor is still there. */
const ASK_MS = 10_000;
/** After so many questions without an answer it ends. */
const MAX_SILENCE = 6;

interface Held {
  readonly slot: PoolSession;
  readonly timer: NodeJS.Timeout;
}

/** The sessions that a worker holds for executors. */
export class WorkerSessions {
  readonly #pool: WorkerPool;
  readonly #nats: NatsConnection;
  readonly #max: number;
  readonly #maxMemoryMb: number;
  readonly #held = new Map<string, Held>();
  #opening = 0;

  constructor(pool: WorkerPool, nats: NatsConnection, max: number, maxMemoryMb: number) {
    this.#pool = pool;
    this.#nats = nats;
    this.#max = max;
    this.#maxMemoryMb = maxMemoryMb;
  }

  get size(): number {
    return this.#held.size + this.#opening;
  }

  find(session: string): PoolSession | undefined {
    return this.#held.get(session)?.slot;
  }

  /** @param subject Where the executor listens for signs of the session. */
  async open(
    { session, memoryMb }: Extract<Command, { readonly type: 'open' }>,
    subject: string,
  ): Promise<Opened> {
    if (this.size >= this.#max) {
      const message = `The worker holds ${this.#max} sessions already.`;
      return { ok: false, code: 'SESSION_LIMIT', message };
    }
    this.#opening++;
    try {
      const slot = await this.#pool.openSession(Math.min(memoryMb, this.#maxMemoryMb));
      this.#hold(session, subject, slot);
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
    const held = this.#held.get(session);
    if (held === undefined) return;
    this.#held.delete(session);
    clearInterval(held.timer);
    await held.slot.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#held.keys()].map((session) => this.close(session)));
  }

  #hold(session: string, subject: string, slot: PoolSession): void {
    let silence = 0;
    const ask = async (): Promise<void> => {
      try {
        await this.#nats.request(subject, '', { timeout: ASK_MS });
        silence = 0;
      } catch (error) {
        const isGone = error instanceof RequestError && error.isNoResponders();
        silence++;
        if (isGone || silence >= MAX_SILENCE) await this.close(session);
      }
    };
    this.#held.set(session, { slot, timer: setInterval(() => void ask(), ASK_MS) });
  }
}
