import os from 'node:os';

import type { SlotSettings } from '@glovebox/protocol/host-messages';
import type { Job } from '@glovebox/protocol/job';
import { checkIsolatedVm } from '@glovebox/worker';

import { debugLog, inOneLine } from '../../shared/debug-log.ts';
import { GloveboxError } from '../../shared/errors.ts';
import type { OutcomeCode } from '../../shared/errors.ts';
import { messageOf } from '../../shared/message-of.ts';
import { JobQueue } from '../job-queue.ts';
import type { QueueOptions } from '../job-queue.ts';
import { TurnOrder } from '../turn-order.ts';
import type { TurnTaker } from '../turn-order.ts';
import { poolDefaults } from '../worker-pool.ts';
import type { JobHandle, JobObserver, PoolSession, PoolStats, WorkerPool } from '../worker-pool.ts';
import { ThreadSlot } from './thread-slot.ts';
import type { SlotRun } from './thread-slot.ts';

/** Options of a thread pool. `Executor` uses the same defaults. */
export interface ThreadPoolOptions extends QueueOptions {
  /** Number of threads, each of which runs one job at a time; by default that of available cores. */
  readonly threads: number;
  readonly slot: Omit<SlotSettings, 'session'>;
  /** The most sessions that may be open at the same time; 16 by default. */
  readonly maxSessions: number;
}

/** How long `close` waits for threads. A guest that V8 cannot interrupt blocks its thread for ever. */
const CLOSE_GRACE_MS = 1000;

/** One thread with its slot. */
class Thread implements TurnTaker {
  readonly id: string;
  readonly #slot: ThreadSlot;
  #endedAt = -Infinity;
  /** Ends the current run with a result of the pool instead of the slot's outcome. */
  #endRun: JobObserver['onEnd'] = () => undefined;

  constructor(id: string, settings: SlotSettings) {
    this.id = id;
    this.#slot = new ThreadSlot(settings);
  }

  get free(): boolean {
    return this.#slot.isFree;
  }

  get idleMs(): number {
    return this.free ? performance.now() - this.#endedAt : 0;
  }

  ready(): Promise<void> {
    return this.#slot.ready();
  }

  /** @param onFree Called after the end of the run, with whether the thread can be used again. */
  run(job: Job, observer: JobObserver, onFree: (usable: boolean) => void): JobHandle {
    observer.onStart(this.id);
    let ended = false;
    const run: SlotRun = this.#slot.run(job, (event) => {
      if (ended) return;
      if (event.type === 'log') observer.onLog(event.level, event.text);
      else observer.onCall(event.callId, event.tool, event.text);
    });
    const end: JobObserver['onEnd'] = (how) => {
      if (ended) return;
      ended = true;
      this.#endedAt = performance.now();
      observer.onEnd(how);
    };
    this.#endRun = end;
    run.outcome.then(
      (outcome) => {
        end({ type: 'outcome', outcome });
        onFree(!outcome.condemned);
      },
      (cause: unknown) => {
        end({
          type: 'failure',
          code: 'HOST_LOST',
          message: 'The thread of the run ended.',
          ran: 'maybe',
          cause,
        });
        // The slot has started a new thread in place of the old one.
        this.#slot.ready().then(
          () => onFree(true),
          () => onFree(false),
        );
      },
    );
    return {
      reply: (callId, ok, text) => run.reply(callId, ok, text),
      stop: () => run.stop(),
      kill: () => {
        end({ type: 'failure', code: 'HOST_LOST', message: 'The run was killed.', ran: 'yes' });
        run.terminate();
      },
    };
  }

  /** @param code The code with which the current run ends. */
  async close(code: OutcomeCode, message: string): Promise<void> {
    this.#endRun({ type: 'failure', code, message, ran: 'yes' });
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_GRACE_MS);
    await Promise.race([this.#slot.close(), late]);
    clearTimeout(timer);
  }
}

/**
 * Runs jobs in threads of this process, for trusted code and for tests. Guests are isolated from each
 * other and from the values of the program. But a guest that exceeds V8's memory limits can crash the
 * whole process, and a guest that V8 cannot interrupt blocks its thread for ever.
 */
export class ThreadPool implements WorkerPool {
  readonly kind = 'thread';
  readonly #options: ThreadPoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #sessions = new Set<Thread>();
  readonly #turnOrder = new TurnOrder<Thread>();
  readonly #queue: JobQueue;
  #started = 0;
  #lost = 0;
  #closed = false;

  constructor(given: Partial<ThreadPoolOptions> = {}) {
    checkIsolatedVm();
    const options = { ...poolDefaults(), threads: os.availableParallelism(), ...given };
    this.#options = options;
    this.#queue = new JobQueue(options, (job, observer) => this.#tryStart(job, observer));
    for (let index = 0; index < options.threads; index++) this.#add();
  }

  submit(job: Job, observer: JobObserver): JobHandle {
    return this.#queue.submit(job, observer);
  }

  async openSession(memoryMb: number): Promise<PoolSession> {
    if (this.#sessions.size >= this.#options.maxSessions) {
      throw new GloveboxError(
        'SESSION_LIMIT',
        `${this.#options.maxSessions} sessions are open; close one, or raise maxSessions.`,
      );
    }
    const thread = this.#createThread({ ...this.#options.slot, memoryMb, session: true });
    this.#sessions.add(thread);
    try {
      await thread.ready();
    } catch (cause) {
      this.#sessions.delete(thread);
      throw new GloveboxError('POOL_UNAVAILABLE', 'The thread of the session failed.', { cause });
    }
    return {
      hostId: thread.id,
      submit: (job, observer) => thread.run(job, observer, () => undefined),
      close: async () => {
        this.#sessions.delete(thread);
        await thread.close('SESSION_UNKNOWN', 'The session was closed.');
      },
    };
  }

  async ready(): Promise<void> {
    try {
      await Promise.any([...this.#threads].map((thread) => thread.ready()));
    } catch (cause) {
      throw new GloveboxError('POOL_UNAVAILABLE', 'No thread could be started.', { cause });
    }
  }

  stats(): PoolStats {
    const free = [...this.#threads].filter((thread) => thread.free).length;
    return {
      kind: this.kind,
      hosts: this.#threads.size,
      spareHosts: 0,
      busySlots: this.#threads.size - free,
      freeSlots: free,
      queued: this.#queue.size,
      sessions: this.#sessions.size,
      hostsLost: this.#lost,
      hostsRecycled: 0,
      degraded: undefined,
    };
  }

  nested(): ThreadPool {
    return new ThreadPool(this.#options);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.refuseAll('ABORTED', 'The executor was closed.');
    const all = [...this.#threads, ...this.#sessions];
    this.#threads.clear();
    this.#sessions.clear();
    await Promise.all(all.map((thread) => thread.close('ABORTED', 'The executor was closed.')));
  }

  #createThread(settings: SlotSettings): Thread {
    const thread = new Thread(`thread-${++this.#started}`, settings);
    if (debugLog.enabled) {
      thread.ready().then(
        () => debugLog('%s: ready', thread.id),
        (cause: unknown) => debugLog('%s: cannot load: %s', thread.id, inOneLine(messageOf(cause))),
      );
    }
    return thread;
  }

  #add(): void {
    const thread = this.#createThread({ ...this.#options.slot, session: false });
    this.#threads.add(thread);
    thread.ready().then(
      () => this.#queue.pump(),
      (cause: unknown) => {
        this.#queue.refuseAll('HOST_LOST', 'The thread could not be started.', cause);
      },
    );
  }

  #tryStart(job: Job, observer: JobObserver): JobHandle | undefined {
    const thread = this.#turnOrder.choose([...this.#threads], ({ free }) => free);
    return thread?.run(job, observer, (usable) => {
      if (!usable) this.#replace(thread);
      this.#queue.pump();
    });
  }

  /** Nothing can end the old thread: it stays blocked in its isolate until the process ends. */
  #replace(thread: Thread): void {
    this.#lost++;
    if (debugLog.enabled) debugLog('%s: replaced, because it is condemned', thread.id);
    this.#threads.delete(thread);
    if (!this.#closed) this.#add();
  }
}
