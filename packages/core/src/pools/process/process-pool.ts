import os from 'node:os';

import type { HostSettings, SlotSettings } from '@glovebox/protocol/host-messages';
import type { Job } from '@glovebox/protocol/job';

import { debugLog } from '../../shared/debug-log.ts';
import { GloveboxError } from '../../shared/errors.ts';
import { JobQueue } from '../job-queue.ts';
import type { QueueOptions } from '../job-queue.ts';
import { refuseJob } from '../refuse-job.ts';
import { submitWithRetry } from '../retry.ts';
import { Turns } from '../turn-order.ts';
import { poolDefaults } from '../worker-pool.ts';
import type { JobHandle, JobObserver, PoolSession, PoolStats, WorkerPool } from '../worker-pool.ts';
import type { HostDeath, HostObserver } from './host.ts';
import type { LaunchOptions } from './launch-host.ts';
import { Member } from './member.ts';
import { canWatchMemory, MEMORY_CHECK_MS } from './memory-watch.ts';
import { RestartPolicy } from './restart-policy.ts';

/** How long hosts for runs within runs stay when none runs. */
const NESTED_IDLE_MS = 10_000;

/** Options of a process pool; `Executor` fills in what is left out in the same way. */
export interface ProcessPoolOptions extends QueueOptions {
  /** Hosts that run jobs at the same time. */
  readonly hosts: number;
  readonly slotsPerHost: number;
  /** Further hosts that stand ready to take the place of one that was killed. */
  readonly spareHosts: number;
  /** Hosts that stay when nothing has run for a while; `Infinity` for all of them. */
  readonly minHosts: number;
  /** How long that while is, in milliseconds. */
  readonly idleMs: number;
  readonly slot: Omit<SlotSettings, 'session'>;
  readonly maxSessions: number;
  readonly launch: LaunchOptions;
  /**
   * Who looks at the memory of hosts: this process, through `/proc`, or the hosts themselves, which
   * report it. By default the former where it can be.
   */
  readonly memoryWatch: 'proc' | 'report';
  /** After so many runs a host is replaced in good order. */
  readonly runsPerHost: number;
  /** Told of code that has killed a host. */
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
 * Runs jobs in child processes that may be killed at any moment, the only boundary that holds
 * against every guest. A spare stands ready, so that nobody waits for a replacement.
 */
export class ProcessPool implements WorkerPool {
  readonly kind = 'process';
  readonly #options: ProcessPoolOptions;
  readonly #members: Member[] = [];
  /** Hosts that are replaced already, and end with their last run. */
  readonly #retiring = new Set<Member>();
  readonly #sessions = new Set<Member>();
  readonly #queue: JobQueue;
  readonly #restarts: RestartPolicy;
  readonly #waitingForReady = new Set<PromiseWithResolvers<void>>();
  #memoryTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #lastStartAt = performance.now();
  /** Most hosts were let go, since nothing ran; the first job that has to wait brings them back. */
  #isShrunk = false;
  readonly #turns = new Turns<Member>();
  #started = 0;
  #lost = 0;
  #recycled = 0;
  #closed = false;

  constructor(given: Partial<ProcessPoolOptions> = {}) {
    const options = { ...processPoolDefaults(), ...given };
    this.#options = options;
    this.#queue = new JobQueue(options, (job, observer, solo) => this.#place(job, observer, solo));
    this.#restarts = new RestartPolicy(
      () => this.#fill(),
      (message, cause) => this.#onDegraded(message, cause),
    );
    this.#fill();
    this.#awaitIdleness(options.idleMs);
  }

  submit(job: Job, observer: JobObserver): JobHandle {
    const handle = submitWithRetry(
      (each, hears, solo) => this.#queue.submit(each, hears, solo),
      job,
      observer,
    );
    if (this.#queue.size > 0) this.#grow();
    const { degraded } = this.#restarts;
    if (degraded !== undefined && this.#members.every(({ host }) => host.state !== 'ready')) {
      // In a later tick: the caller has no handle yet.
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
    const waiting = Promise.withResolvers<void>();
    this.#waitingForReady.add(waiting);
    this.#grow();
    // Hosts and their restarts do not keep this process alive; who waits for them does.
    const hold = setInterval(() => undefined, 60_000);
    await waiting.promise.finally(() => clearInterval(hold));
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
    // Runs within runs are rare: their hosts do not stay, and none stands ready.
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

  /** Starts as many hosts as are missing, all at once. */
  #fill(): void {
    if (this.#closed) return;
    while (this.#members.length < this.#wanted) {
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

  get #wanted(): number {
    const { hosts, spareHosts, minHosts } = this.#options;
    return this.#isShrunk ? Math.min(minHosts, hosts + spareHosts) : hosts + spareHosts;
  }

  #grow(): void {
    if (!this.#isShrunk) return;
    this.#isShrunk = false;
    this.#fill();
    this.#awaitIdleness(this.#options.idleMs);
  }

  /** Lets hosts go once no job has begun, and none was under way, for as long as the options say. */
  #awaitIdleness(ms: number): void {
    const { minHosts, idleMs } = this.#options;
    if (minHosts >= this.#wanted) return;
    this.#idleTimer = setTimeout(() => {
      const isBusy = this.#members.some(({ host }) => host.busy > 0 || host.state === 'starting');
      const idleFor = performance.now() - this.#lastStartAt;
      if (isBusy || this.#queue.size > 0) this.#awaitIdleness(idleMs);
      else if (idleFor < idleMs) this.#awaitIdleness(idleMs - idleFor);
      else this.#shrink();
    }, ms).unref();
  }

  #shrink(): void {
    this.#isShrunk = true;
    for (const member of this.#members.splice(this.#wanted)) {
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
    for (const waiting of this.#waitingForReady) waiting.resolve();
    this.#waitingForReady.clear();
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
    for (const waiting of this.#waitingForReady) {
      waiting.reject(new GloveboxError('POOL_UNAVAILABLE', message, { cause }));
    }
    this.#waitingForReady.clear();
    if (this.#members.every(({ host }) => host.state !== 'ready')) {
      this.#queue.refuseAll('HOST_LOST', message, cause);
    }
  }

  /**
   * Spare hosts have no turn: on cores that are busy, one more process costs all of them a fifth of
   * what they do.
   */
  #place(job: Job, observer: JobObserver, solo: boolean): JobHandle | undefined {
    const ready = this.#members.filter(({ host }) => host.state === 'ready');
    const regular = ready.slice(0, this.#options.hosts);
    const member = this.#turns.choose(regular, (each) => each.takes(solo));
    return member === undefined ? undefined : this.#run(member, job, observer, solo);
  }

  #run(member: Member, job: Job, observer: JobObserver, solo: boolean): JobHandle {
    this.#lastStartAt = performance.now();
    this.#watchMemory();
    return member.run(job, observer, solo);
  }

  /** A slot got free: the next job gets it, unless its host is worn. */
  #onFree(member: Member): void {
    if (!this.#closed && (member.isWorn || member.isTainted)) this.#retire(member);
    this.#queue.pump();
  }

  /** Replaces a host in good order: it takes no more jobs, and ends when it has none left. */
  #retire(member: Member): void {
    const at = this.#members.indexOf(member);
    // Only where another one is ready, so that nobody waits for the replacement.
    const hasOther = this.#members.some(
      ({ host }) => host !== member.host && host.state === 'ready',
    );
    if (at >= 0 && (hasOther || member.isTainted)) {
      if (debugLog.enabled) {
        debugLog(
          '%s: is replaced, since it is %s',
          member.host.id,
          member.isTainted ? 'tainted' : 'worn',
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

  /** Looks at the memory of busy hosts until none is busy. */
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
