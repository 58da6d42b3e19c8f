import { setTimeout as delay } from 'node:timers/promises';

import type { Job } from '@glovebox/protocol/job';
import { z } from 'zod';

import { poolDefaults } from '../../pools/worker-pool.ts';
import type {
  JobHandle,
  JobObserver,
  PoolSession,
  PoolStats,
  WorkerPool,
} from '../../pools/worker-pool.ts';
import { checkOptions } from '../../shared/check-options.ts';
import { GloveboxError } from '../../shared/errors.ts';
import { messageOf } from '../../shared/message-of.ts';
import type { NatsServers } from '../wire/nats-connection.ts';
import { namePart, Subjects } from '../wire/subjects.ts';
import { Link } from './executor-link.ts';
import { RemoteSessions } from './remote-sessions.ts';

/** How long `ready` waits for a worker to come. */
const READY_MS = 10_000;
const READY_CHECK_MS = 100;

const servers = z.custom<NatsServers>((value) => typeof value === 'object' && value !== null);

const natsOptionsSchema = z.strictObject({
  servers: z.union([z.string(), z.array(z.string()), servers]),
  tenant: namePart.default('default'),
  pool: namePart.default('default'),
  queueMs: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .default(poolDefaults().queueMs),
  maxSessions: z.int().min(0).max(10_000).default(poolDefaults().maxSessions),
  rerun: z.enum(['if-no-effect', 'always']).default('if-no-effect'),
});

/** Options of a pool on other machines. */
export interface NatsPoolOptions {
  /** URLs of the servers, or all that `connect` of `@nats-io/transport-node` takes: TLS, NKeys, … */
  readonly servers: string | string[] | NatsServers;
  /** Whose jobs they are; `default` unless given. */
  readonly tenant?: string | undefined;
  /** Which workers are to run them; `default` unless given. */
  readonly pool?: string | undefined;
  /** How long a run may wait for a worker, in milliseconds; 60 000 by default. */
  readonly queueMs?: number | undefined;
  /** Sessions that may be open at once; 16 by default. */
  readonly maxSessions?: number | undefined;
  /**
   * What becomes of a run whose worker is lost. `if-no-effect` (default) runs it again only if it
   * has called no tool and logged nothing, else it ends as `HOST_LOST`. `always` is for code that
   * does no harm twice: the same tools may be called again.
   */
  readonly rerun?: 'if-no-effect' | 'always' | undefined;
}

/**
 * Runs jobs on other machines, where `glovebox worker` takes them from a NATS server. Tools run
 * here, and results are decoded here.
 */
export class NatsPool implements WorkerPool {
  readonly kind = 'nats';
  readonly #link: Link;
  readonly #depth: number;
  readonly #sessions: RemoteSessions;
  #isClosed = false;

  /** Pools are made by {@link nats}. */
  constructor(link: Link, depth: number, sessions: RemoteSessions) {
    this.#link = link;
    this.#depth = depth;
    this.#sessions = sessions;
  }

  submit(job: Job, observer: JobObserver): JobHandle {
    return this.#link.submit(job, observer, this.#depth);
  }

  async openSession(memoryMb: number): Promise<PoolSession> {
    return this.#sessions.open(memoryMb);
  }

  async ready(): Promise<void> {
    const end = performance.now() + READY_MS;
    let isFound = await this.#findWorker();
    while (!isFound && performance.now() < end && !this.#isClosed) {
      await delay(READY_CHECK_MS);
      isFound = await this.#findWorker();
    }
    if (!isFound) {
      const message = `No worker came within ${READY_MS} ms; start one with \`glovebox worker\`.`;
      throw new GloveboxError('POOL_UNAVAILABLE', message);
    }
  }

  stats(): PoolStats {
    const { roster, isConnected, waiting } = this.#link;
    const { listening } = roster;
    const slots = listening.reduce((sum, hello) => sum + hello.slots, 0);
    const busySlots = listening.reduce((sum, hello) => sum + Math.min(hello.busy, hello.slots), 0);
    const degraded = isConnected ? 'No worker listens.' : 'There is no connection to a server.';
    return {
      kind: this.kind,
      hosts: listening.length,
      spareHosts: 0,
      busySlots,
      freeSlots: slots - busySlots,
      queued: waiting,
      sessions: this.#sessions.size,
      hostsLost: roster.lost,
      hostsRecycled: 0,
      degraded: isConnected && listening.length > 0 ? undefined : degraded,
    };
  }

  nested(): NatsPool {
    return new NatsPool(this.#link, this.#depth + 1, this.#sessions);
  }

  /** Ends the runs of all levels: they share the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#link.close();
  }

  async #findWorker(): Promise<boolean> {
    try {
      return await this.#link.findWorker();
    } catch (cause) {
      const message = `Workers cannot be reached. ${messageOf(cause)}`;
      throw new GloveboxError('POOL_UNAVAILABLE', message, { cause });
    }
  }
}

/**
 * A pool of workers on other machines, for `new Executor({ pool: nats({ servers }) })`. It connects
 * at once; the executor's `close` ends the connection.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS`.
 */
export function nats(options: NatsPoolOptions): NatsPool {
  const checked = checkOptions(natsOptionsSchema, options, 'nats');
  const { tenant, pool, queueMs, maxSessions, rerun } = checked;
  const given = checked.servers;
  const link = new Link({
    servers: typeof given === 'string' || Array.isArray(given) ? { servers: given } : given,
    subjects: new Subjects(tenant, pool),
    queueMs,
    rerun,
  });
  return new NatsPool(link, 0, new RemoteSessions(link, maxSessions));
}
