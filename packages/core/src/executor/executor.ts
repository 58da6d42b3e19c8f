import type { Job } from '@glovebox/protocol/job';
import { DEFAULT_LIMITS, mergeLimits } from '@glovebox/protocol/limits';
import type { Limits } from '@glovebox/protocol/limits';

import { PoolLevels } from '../pools/levels.ts';
import { ProcessPool } from '../pools/process/process-pool.ts';
import { Quarantine } from '../pools/quarantine.ts';
import { ThreadPool } from '../pools/thread/thread-pool.ts';
import type { JobHandle, JobObserver, PoolStats, WorkerPool } from '../pools/worker-pool.ts';
import { checkOptions } from '../shared/check-options.ts';
import { GloveboxError } from '../shared/errors.ts';
import {
  executorOptionsSchema,
  runOptionsSchema,
  sessionOptionsSchema,
} from './executor-options.ts';
import type { ExecutorOptions } from './executor-options.ts';
import { atDepth, depthIn } from './nesting.ts';
import type { Outcome } from './outcome.ts';
import { prepareRun } from './prepare-run.ts';
import type { RunDefaults } from './prepare-run.ts';
import type { RunError } from './read-outcome.ts';
import type { RunOptions, SessionOptions } from './run-options.ts';
import { Run } from './run.ts';
import { Session } from './session.ts';

export interface CloseOptions {
  /** Whether to wait for all runs, also for those in the queue. By default they end as `ABORTED`. */
  readonly drain?: boolean;
}

/**
 * Runs untrusted code. Everything that a guest or a host does is reported as an outcome. Methods
 * throw only for mistakes of the caller.
 */
export class Executor implements AsyncDisposable {
  readonly #pool: WorkerPool;
  readonly #levels: PoolLevels;
  readonly #limits: Limits;
  /** Records code that has killed hosts; undefined if quarantine is disabled. */
  readonly quarantine: Quarantine | undefined;
  readonly #runs = new Map<Run, Promise<Outcome>>();
  readonly #sessions = new Set<Session>();
  #closing: Promise<void> | undefined;

  /** @throws {GloveboxError} `INVALID_OPTIONS`. */
  constructor(options: ExecutorOptions = {}) {
    const checked = checkOptions(executorOptionsSchema, options, 'Executor');
    this.#limits = mergeLimits(DEFAULT_LIMITS, checked.limits);
    const { maxQueue, queueMs, maxSessions, features, preparedIsolates } = checked;
    const { hosts } = checked;
    this.quarantine = checked.quarantine === false ? undefined : new Quarantine(checked.quarantine);
    const common = {
      maxQueue,
      queueMs,
      maxSessions,
      slot: { memoryMb: this.#limits.memoryMb, features, prepared: preparedIsolates },
    };
    if (checked.pool === 'process') {
      const { slotsPerHost, spareHosts, minHosts, idleMs, runsPerHost, jit, spawn } = checked;
      this.#pool = new ProcessPool({
        ...common,
        ...(hosts === undefined ? {} : { hosts }),
        slotsPerHost,
        spareHosts,
        ...(minHosts === undefined ? {} : { minHosts }),
        idleMs,
        runsPerHost,
        launch: { jit, spawn },
        // The process that `spawn` returns may be a wrapper, so hosts report their memory themselves.
        ...(spawn === undefined ? {} : { memoryWatch: 'report' as const }),
        onKill: (code) => this.quarantine?.record(code),
      });
    } else if (checked.pool === 'thread') {
      this.#pool = new ThreadPool({
        ...common,
        ...(hosts === undefined ? {} : { threads: hosts }),
      });
    } else {
      this.#pool = checked.pool;
    }
    this.#levels = new PoolLevels(this.#pool);
  }

  /**
   * Runs code in a fresh isolate. Resolves with an outcome, whatever the code does.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS`, `INVALID_NAME`, `UNSERIALIZABLE_VARIABLES`,
   * `EXECUTOR_CLOSED`.
   */
  async run<T = unknown>(options: RunOptions): Promise<Outcome<T>> {
    const depth = depthIn(this);
    const submit = (job: Job, observer: JobObserver): JobHandle =>
      this.#levels.at(depth).submit(job, observer);
    const defaults = { limits: this.#limits, tools: {} };
    return (await this.#run(options, defaults, submit, depth + 1)) as Outcome<T>;
  }

  /**
   * Opens a session: one isolate, in a host of its own, that keeps its state between runs.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS`, `SESSION_LIMIT`, `POOL_UNAVAILABLE`,
   * `EXECUTOR_CLOSED`.
   */
  async openSession(options: SessionOptions = {}): Promise<Session> {
    this.#checkOpen();
    const checked = checkOptions(sessionOptionsSchema, options, 'openSession');
    const limits = mergeLimits(this.#limits, checked.limits);
    const defaults: RunDefaults = { limits, tools: options.tools ?? {} };
    const slot = await this.#pool.openSession(limits.memoryMb);
    const session = new Session(
      slot,
      // Not one level deeper: a session has its own slot, so the runs that its tools start need no
      // slot that the session holds.
      (runOptions, submit) => this.#run(runOptions, defaults, submit, depthIn(this)),
      () => this.#sessions.delete(session),
    );
    this.#sessions.add(session);
    return session;
  }

  /**
   * Resolves when a run would start at once. It is optional: `run` waits by itself.
   *
   * @throws {GloveboxError} `POOL_UNAVAILABLE`, `EXECUTOR_CLOSED`.
   */
  async ready(): Promise<void> {
    this.#checkOpen();
    await this.#pool.ready();
  }

  /** The current state of the pool. */
  stats(): PoolStats {
    return this.#pool.stats();
  }

  /** Ends all runs, sessions, hosts and threads of the executor. */
  async close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options.drain === true);
    await this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(drain: boolean): Promise<void> {
    if (!drain)
      for (const run of this.#runs.keys()) run.abort('The executor was closed.', undefined);
    await Promise.all(this.#runs.values());
    await Promise.all([...this.#sessions].map((session) => session.close()));
    await this.#levels.close();
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) {
      throw new GloveboxError('EXECUTOR_CLOSED', 'The executor was closed; create another one.');
    }
  }

  #findQuarantined(code: string): RunError | undefined {
    const entry = this.quarantine?.find(code);
    if (entry === undefined) return undefined;
    const message = `This code has killed ${entry.kills} hosts and is quarantined.`;
    return { code: 'QUARANTINED', message, used: entry.kills, ran: 'no' };
  }

  async #run(
    options: RunOptions,
    defaults: RunDefaults,
    submit: (job: Job, observer: JobObserver) => JobHandle,
    toolDepth: number,
  ): Promise<Outcome> {
    this.#checkOpen();
    const checked = checkOptions(runOptionsSchema, options, 'run');
    const { spec, limitError } = prepareRun(checked, defaults);
    const run = new Run(spec, (call) => atDepth(this, toolDepth, call));
    const refusal = limitError ?? this.#findQuarantined(checked.code);
    if (refusal !== undefined) return run.refuse(refusal);
    const outcome = run.start(submit);
    this.#runs.set(run, outcome);
    try {
      return await outcome;
    } finally {
      this.#runs.delete(run);
    }
  }
}
