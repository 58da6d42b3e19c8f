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
import type { NatsServers } from '../wire/connection.ts';
import { namePart, Subjects } from '../wire/subjects.ts';
import { ExecutorLink } from './executor-link.ts';
import { RemoteSessions } from './remote-sessions.ts';

/** How long `ready` waits for a worker. */
const READY_TIMEOUT_MS = 10_000;
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

/** Options of a pool of workers on other machines. */
export interface NatsPoolOptions {
  /** URLs of the servers, or the options of `connect` of `@nats-io/transport-node`: TLS, NKeys, … */
  readonly servers: string | string[] | NatsServers;
  /** The tenant to which the jobs belong; `default` by default. */
  readonly tenant?: string | undefined;
  /** The pool whose workers run the jobs; `default` by default. */
  readonly pool?: string | undefined;
  /** How long a run may wait for a worker, in milliseconds; 60 000 by default. */
  readonly queueMs?: number | undefined;
  /** How many sessions may be open at the same time; 16 by default. */
  readonly maxSessions?: number | undefined;
  /**
   * Whether a run whose worker is lost runs again. `if-no-effect` (default): only if it has called
   * no tool and logged nothing; otherwise it ends with `HOST_LOST`. `always`: also after tool calls
   * and logs, so that its tools may be called twice. Use it for code that is safe to repeat.
   */
  readonly rerun?: 'if-no-effect' | 'always' | undefined;
}

/**
 * Runs jobs on other machines: `glovebox worker` takes them from a NATS server there. Tools run in
 * this process, and results are decoded in this process.
 */
export class NatsPool implements WorkerPool {
  readonly kind = 'nats';
  readonly #link: ExecutorLink;
  readonly #depth: number;
  readonly #sessions: RemoteSessions;
  #isClosed = false;

  /** Use {@link nats} to create a pool. */
  constructor(link: ExecutorLink, depth: number, sessions: RemoteSessions) {
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
    const end = performance.now() + READY_TIMEOUT_MS;
    let isFound = await this.#findWorker();
    while (!isFound && performance.now() < end && !this.#isClosed) {
      await delay(READY_CHECK_MS);
      isFound = await this.#findWorker();
    }
    if (!isFound) {
      const message = `No worker is available after ${READY_TIMEOUT_MS} ms; start one with \`glovebox worker\`.`;
      throw new GloveboxError('POOL_UNAVAILABLE', message);
    }
  }

  stats(): PoolStats {
    const { roster, isConnected, queued } = this.#link;
    const { available } = roster;
    const slots = available.reduce((sum, hello) => sum + hello.slots, 0);
    const busySlots = available.reduce((sum, hello) => sum + Math.min(hello.busy, hello.slots), 0);
    const degraded = isConnected ? 'No worker is available.' : 'No server is connected.';
    return {
      kind: this.kind,
      hosts: available.length,
      spareHosts: 0,
      busySlots,
      freeSlots: slots - busySlots,
      queued,
      sessions: this.#sessions.size,
      hostsLost: roster.lost,
      hostsRecycled: 0,
      degraded: isConnected && available.length > 0 ? undefined : degraded,
    };
  }

  nested(): NatsPool {
    return new NatsPool(this.#link, this.#depth + 1, this.#sessions);
  }

  /** Ends the runs of this pool and of all nested pools: they share the connection. */
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
 * Creates a pool of workers on other machines, for `new Executor({ pool: nats({ servers }) })`. It
 * connects at once. The executor's `close` closes the connection.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS`.
 */
export function nats(options: NatsPoolOptions): NatsPool {
  const checked = checkOptions(natsOptionsSchema, options, 'nats');
  const { tenant, pool, queueMs, maxSessions, rerun } = checked;
  const given = checked.servers;
  const link = new ExecutorLink({
    servers: typeof given === 'string' || Array.isArray(given) ? { servers: given } : given,
    subjects: new Subjects(tenant, pool),
    queueMs,
    rerun,
  });
  return new NatsPool(link, 0, new RemoteSessions(link, maxSessions));
}
