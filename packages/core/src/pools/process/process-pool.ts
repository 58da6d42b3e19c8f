import os from 'node:os';

import type { HostSettings, SlotSettings } from '@glovebox/protocol/host-messages';
import type { Job } from '@glovebox/protocol/job';

import { debugLog } from '../../shared/debug-log.ts';
import { GloveboxError } from '../../shared/errors.ts';
import { JobQueue } from '../job-queue.ts';
import type { QueueOptions } from '../job-queue.ts';
import { refuseJob } from '../refuse-job.ts';
import { submitWithRetry } from '../retry.ts';
import { TurnOrder } from '../turn-order.ts';
import { poolDefaults } from '../worker-pool.ts';
import type { JobHandle, JobObserver, PoolSession, PoolStats, WorkerPool } from '../worker-pool.ts';
import type { HostDeath, HostObserver } from './host.ts';
import type { LaunchOptions } from './launch-host.ts';
import { Member } from './member.ts';
import { canWatchMemory, MEMORY_CHECK_MS } from './memory-watch.ts';
import { RestartPolicy } from './restart-policy.ts';

/** How long idle hosts for nested runs are kept. */
const NESTED_IDLE_MS = 10_000;

/** Options of a process pool. `Executor` uses the same defaults. */
export interface ProcessPoolOptions extends QueueOptions {
  /** Number of hosts that run jobs; by default the number of available cores. */
  readonly hosts: number;
  /** Number of jobs that one host runs at the same time; 1 by default. */
  readonly slotsPerHost: number;
  /** Number of additional hosts that are ready to replace one that was killed; 1 by default. */
  readonly spareHosts: number;
  /** Number of hosts that are kept while the pool is idle; `Infinity` (default) keeps all. */
  readonly minHosts: number;
  /** After how many milliseconds without a run the pool is idle; 60 000 by default. */
  readonly idleMs: number;
  readonly slot: Omit<SlotSettings, 'session'>;
  /** The most sessions that may be open at the same time; 16 by default. */
  readonly maxSessions: number;
  readonly launch: LaunchOptions;
  /**
   * Who reads the memory usage of hosts: `proc` is this process, through `/proc`; `report` is each
   * host, which reports it. By default `proc` where it is possible.
   */
  readonly memoryWatch: 'proc' | 'report';
  /** After this number of runs a host is replaced; 10 000 by default. */
  readonly runsPerHost: number;
  /** Called with code that has killed a host. */
  readonly onKill: (code: string) => void;
}

function processPoolDefaults(): ProcessPoolOptions {
  return {
    ...poolDefaults(),
    hosts: os.availableParallelism(),
    slotsPerHost: 1,
    spareHosts: 1,
    minHosts: Infinity,
    idleMs: 60_000,
    launch: {},
    memoryWatch: canWatchMemory() ? 'proc' : 'report',
    runsPerHost: 10_000,
    onKill: () => undefined,
  };
}

/**
 * Runs jobs in child processes (*hosts*) that can be killed at any moment: the only boundary that
 * stops every guest. A spare host is ready, so that no run waits for a replacement to start.
 */
export class ProcessPool implements WorkerPool {
  readonly kind = 'process';
  readonly #options: ProcessPoolOptions;
  readonly #members: Member[] = [];
  /** Hosts that are already replaced. Each is killed when its last run ends. */
  readonly #retiring = new Set<Member>();
  readonly #sessions = new Set<Member>();
  readonly #queue: JobQueue;
  readonly #restarts: RestartPolicy;
  readonly #readyWaiters = new Set<PromiseWithResolvers<void>>();
  #memoryTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #lastStartAt = performance.now();
  /** Whether idle hosts were ended. The first job that has to wait starts them again. */
  #isShrunk = false;
  readonly #turnOrder = new TurnOrder<Member>();
  #started = 0;
  #lost = 0;
  #recycled = 0;
  #closed = false;

  constructor(given: Partial<ProcessPoolOptions> = {}) {
    const options = { ...processPoolDefaults(), ...given };
    this.#options = options;
    this.#queue = new JobQueue(options, (job, observer, solo) =>
      this.#tryStart(job, observer, solo),
    );
    this.#restarts = new RestartPolicy(
      () => this.#fill(),
      (message, cause) => this.#onDegraded(message, cause),
    );
    this.#fill();
    this.#scheduleShrink(options.idleMs);
  }

  submit(job: Job, observer: JobObserver): JobHandle {
    const handle = submitWithRetry(
      (attempt, attemptObserver, solo) => this.#queue.submit(attempt, attemptObserver, solo),
      job,
      observer,
    );
    if (this.#queue.size > 0) this.#grow();
    const { degraded } = this.#restarts;
    if (degraded !== undefined && this.#members.every(({ host }) => host.state !== 'ready')) {
      // In a microtask, because the caller does not have the handle yet.
      queueMicrotask(() => this.#queue.refuseAll('HOST_LOST', degraded.message, degraded.cause));
    }
    return handle;
  }

  async openSession(memoryMb: number): Promise<PoolSession> {
    const { maxSessions } = this.#options;
    if (this.#sessions.size >= maxSessions) {
      throw new GloveboxError(
        'SESSION_LIMIT',
        `${maxSessions} sessions are open; close one, or raise maxSessions.`,
      );
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const settings = this.#hostSettings({ memoryMb, session: true }, 1);
    const member = this.#start(settings, {
      onReady: () => resolve(),
      onFree: () => undefined,
      onMemory: () => undefined,
      onGone: (death) => {
        this.#sessions.delete(member);
        if (!death.duringBoot) this.#lost++;
        const options = death.cause === undefined ? {} : { cause: death.cause };
        reject(new GloveboxError('POOL_UNAVAILABLE', death.message, options));
      },
    });
    this.#sessions.add(member);
    await promise;
    return {
      hostId: member.host.id,
      submit: (job, observer) => {
        if (member.host.state === 'ready') return this.#run(member, job, observer, false);
        return refuseJob(observer, 'SESSION_LOST', 'The host of the session is gone.');
      },
      close: async () => {
        member.host.kill('SESSION_UNKNOWN', 'The session was closed.');
        await member.host.exited();
      },
    };
  }

  async ready(): Promise<void> {
    if (this.#members.some(({ host }) => host.state === 'ready')) return;
    const waiter = Promise.withResolvers<void>();
    this.#readyWaiters.add(waiter);
    this.#grow();
    // Hosts and restart timers do not keep this process alive, so this timer does while we wait.
    const keepAlive = setInterval(() => undefined, 60_000);
    await waiter.promise.finally(() => clearInterval(keepAlive));
  }

  stats(): PoolStats {
    const ready = this.#members.filter(({ host }) => host.state === 'ready');
    const busySlots = ready.reduce((sum, { host }) => sum + host.busy, 0);
    const hosts = Math.min(this.#options.hosts, ready.length);
    return {
      kind: this.kind,
      hosts,
      spareHosts: ready.length - hosts,
      busySlots,
      freeSlots: hosts * this.#options.slotsPerHost - busySlots,
      queued: this.#queue.size,
      sessions: this.#sessions.size,
      hostsLost: this.#lost,
      hostsRecycled: this.#recycled,
      degraded: this.#restarts.degraded?.message,
    };
  }

  nested(): ProcessPool {
    // Nested runs are rare, so their hosts end soon and there is no spare host.
    const idleMs = Math.min(this.#options.idleMs, NESTED_IDLE_MS);
    return new ProcessPool({ ...this.#options, spareHosts: 0, minHosts: 0, idleMs });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#restarts.close();
    clearInterval(this.#memoryTimer);
    clearTimeout(this.#idleTimer);
    this.#queue.refuseAll('ABORTED', 'The executor was closed.');
    const all = [...this.#members, ...this.#retiring, ...this.#sessions];
    for (const { host } of all) host.kill('ABORTED', 'The executor was closed.');
    await Promise.all(all.map(({ host }) => host.exited()));
  }

  /** Starts all missing hosts in parallel. */
  #fill(): void {
    if (this.#closed) return;
    while (this.#members.length < this.#targetSize) {
      const settings = this.#hostSettings({ session: false }, this.#options.slotsPerHost);
      const member = this.#start(settings, {
        onReady: () => this.#onReady(member),
        onFree: () => this.#onFree(member),
        onMemory: () => undefined,
        onGone: (death) => this.#onGone(member, death),
      });
      this.#members.push(member);
    }
  }

  /** How many hosts the pool should have now, spare hosts included. */
  get #targetSize(): number {
    const { hosts, spareHosts, minHosts } = this.#options;
    return this.#isShrunk ? Math.min(minHosts, hosts + spareHosts) : hosts + spareHosts;
  }

  #grow(): void {
    if (!this.#isShrunk) return;
    this.#isShrunk = false;
    this.#fill();
    this.#scheduleShrink(this.#options.idleMs);
  }

  /** Shrinks the pool when no job has started, and none was running, for `idleMs`. */
  #scheduleShrink(ms: number): void {
    const { minHosts, idleMs } = this.#options;
    if (minHosts >= this.#targetSize) return;
    this.#idleTimer = setTimeout(() => {
      const isBusy = this.#members.some(({ host }) => host.busy > 0 || host.state === 'starting');
      const idleFor = performance.now() - this.#lastStartAt;
      if (isBusy || this.#queue.size > 0) this.#scheduleShrink(idleMs);
      else if (idleFor < idleMs) this.#scheduleShrink(idleMs - idleFor);
      else this.#shrink();
    }, ms).unref();
  }

  #shrink(): void {
    this.#isShrunk = true;
    for (const member of this.#members.splice(this.#targetSize)) {
      this.#retiring.add(member);
      member.host.kill('ABORTED', 'The host was idle.');
    }
  }

  #hostSettings(slot: Partial<SlotSettings> & { session: boolean }, slots: number): HostSettings {
    return {
      slots,
      slot: { ...this.#options.slot, ...slot },
      reportMemoryMs: this.#options.memoryWatch === 'report' ? MEMORY_CHECK_MS : 0,
    };
  }

  #start(settings: HostSettings, observer: HostObserver): Member {
    const { launch, runsPerHost } = this.#options;
    return new Member(`host-${++this.#started}`, settings, launch, runsPerHost, observer);
  }

  #onReady(member: Member): void {
    this.#restarts.succeeded();
    for (const waiter of this.#readyWaiters) waiter.resolve();
    this.#readyWaiters.clear();
    if (member.host.state === 'ready') this.#queue.pump();
  }

  #onGone(member: Member, death: HostDeath): void {
    if (this.#retiring.delete(member)) return;
    this.#members.splice(this.#members.indexOf(member), 1);
    if (this.#closed) return;
    if (death.culprit !== undefined) this.#options.onKill(death.culprit.code);
    if (death.duringBoot) {
      this.#restarts.failed(death.message, death.cause);
    } else {
      this.#lost++;
      this.#fill();
    }
    this.#queue.pump();
  }

  #onDegraded(message: string, cause: unknown): void {
    for (const waiter of this.#readyWaiters) {
      waiter.reject(new GloveboxError('POOL_UNAVAILABLE', message, { cause }));
    }
    this.#readyWaiters.clear();
    if (this.#members.every(({ host }) => host.state !== 'ready')) {
      this.#queue.refuseAll('HOST_LOST', message, cause);
    }
  }

  /**
   * Spare hosts run no jobs: when all cores are busy, one process more lowers the total throughput by
   * a fifth.
   */
  #tryStart(job: Job, observer: JobObserver, solo: boolean): JobHandle | undefined {
    const ready = this.#members.filter(({ host }) => host.state === 'ready');
    const regular = ready.slice(0, this.#options.hosts);
    const member = this.#turnOrder.choose(regular, (candidate) => candidate.canTake(solo));
    return member === undefined ? undefined : this.#run(member, job, observer, solo);
  }

  #run(member: Member, job: Job, observer: JobObserver, solo: boolean): JobHandle {
    this.#lastStartAt = performance.now();
    this.#watchMemory();
    return member.run(job, observer, solo);
  }

  /** A slot got free: the next job gets it, unless its host has to be replaced. */
  #onFree(member: Member): void {
    if (!this.#closed && (member.isDueForRecycling || member.isTainted)) this.#retire(member);
    this.#queue.pump();
  }

  /** Replaces a host: it gets no more jobs, and is killed when its last run ends. */
  #retire(member: Member): void {
    const at = this.#members.indexOf(member);
    // Unless it is tainted, only if another host is ready, so that no run waits for the replacement.
    const hasOther = this.#members.some(
      ({ host }) => host !== member.host && host.state === 'ready',
    );
    if (at >= 0 && (hasOther || member.isTainted)) {
      if (debugLog.enabled) {
        debugLog(
          '%s: replaced, because it is %s',
          member.host.id,
          member.isTainted ? 'tainted' : 'due for recycling',
        );
      }
      this.#members.splice(at, 1);
      this.#retiring.add(member);
      this.#recycled++;
      this.#fill();
    }
    if (this.#retiring.has(member) && member.host.busy === 0) {
      member.host.kill('ABORTED', 'The host was replaced.');
    }
  }

  /** Checks the memory of busy hosts at regular intervals until no host is busy. */
  #watchMemory(): void {
    if (this.#memoryTimer !== undefined) return;
    this.#memoryTimer = setInterval(() => {
      let isBusy = false;
      for (const member of [...this.#members, ...this.#retiring, ...this.#sessions]) {
        if (member.host.busy === 0) continue;
        isBusy = true;
        member.checkMemory();
      }
      if (isBusy) return;
      clearInterval(this.#memoryTimer);
      this.#memoryTimer = undefined;
    }, MEMORY_CHECK_MS).unref();
  }
}
