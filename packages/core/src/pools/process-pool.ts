import type { HostSettings, Job, SlotSettings } from '@glovebox/worker';

import { GloveboxError } from '../errors.ts';
import { Host } from './host.ts';
import type { HostDeath, HostObserver } from './host.ts';
import { MEMORY_CHECK_MS, ResidentMemory } from './memory-watch.ts';
import type { JobHandle, JobObserver, PoolSession, PoolStats, WorkerPool } from './pool.ts';
import { JobQueue } from './queue.ts';
import type { QueueOptions } from './queue.ts';
import { RestartPolicy } from './restart.ts';

export interface ProcessPoolOptions extends QueueOptions {
  /** Hosts that run jobs at the same time. */
  readonly hosts: number;
  readonly slotsPerHost: number;
  /** Further hosts that stand ready to take the place of one that was killed. */
  readonly spareHosts: number;
  readonly slot: Omit<SlotSettings, 'session'>;
  readonly maxSessions: number;
}

const MIB = 1024 * 1024;

/**
 * Resident memory that a run may cost its host beyond its heap limit: V8 may use twice what it was
 * allowed before it gives up, and values are held a few times on their way.
 */
const outerBytes = (memoryMb: number): number => (2 * memoryMb + 96) * MIB;

/** A host with what its pool knows about it. */
interface Member {
  readonly host: Host;
  memory: ResidentMemory | undefined;
  /** Resident bytes when it got ready. */
  baseline: number;
  /** Resident bytes that its runs may cost together. */
  allowance: number;
}

/**
 * Runs jobs in child processes that may be killed at any moment, the only boundary that holds
 * against every guest. A spare stands ready, so that nobody waits for a replacement.
 */
export class ProcessPool implements WorkerPool {
  readonly kind = 'process';
  readonly #options: ProcessPoolOptions;
  readonly #members: Member[] = [];
  readonly #sessions = new Set<Member>();
  readonly #queue: JobQueue;
  readonly #restarts: RestartPolicy;
  readonly #waitingForReady = new Set<PromiseWithResolvers<void>>();
  #memoryTimer: NodeJS.Timeout | undefined;
  #next = 0;
  #started = 0;
  #lost = 0;
  #closed = false;

  constructor(options: ProcessPoolOptions) {
    this.#options = options;
    this.#queue = new JobQueue(options, (job, observer) => this.#place(job, observer));
    this.#restarts = new RestartPolicy(
      () => this.#fill(),
      (message, cause) => this.#onDegraded(message, cause),
    );
    this.#fill();
  }

  submit(job: Job, observer: JobObserver): JobHandle {
    const handle = this.#queue.submit(job, observer);
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
        if (member.host.state === 'ready') return this.#run(member, job, observer);
        queueMicrotask(() =>
          observer.onEnd({
            type: 'failure',
            code: 'SESSION_LOST',
            message: 'The host of the session is gone.',
            ran: 'no',
          }),
        );
        return { reply: () => undefined, stop: () => undefined, kill: () => undefined };
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
      degraded: this.#restarts.degraded?.message,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#restarts.close();
    clearInterval(this.#memoryTimer);
    this.#queue.refuseAll('ABORTED', 'The executor was closed.');
    const all = [...this.#members, ...this.#sessions];
    for (const { host } of all) host.kill('ABORTED', 'The executor was closed.');
    await Promise.all(all.map(({ host }) => host.exited()));
  }

  /** Starts as many hosts as are missing, all at once. */
  #fill(): void {
    if (this.#closed) return;
    const wanted = this.#options.hosts + this.#options.spareHosts;
    while (this.#members.length < wanted) {
      const settings = this.#hostSettings({ session: false }, this.#options.slotsPerHost);
      const member = this.#start(settings, {
        onReady: () => this.#onReady(member),
        onFree: () => this.#queue.pump(),
        onGone: (death) => this.#onGone(member, death),
      });
      this.#members.push(member);
    }
  }

  #hostSettings(slot: Partial<SlotSettings> & { session: boolean }, slots: number): HostSettings {
    return {
      slots,
      slot: { ...this.#options.slot, ...slot },
    };
  }

  #start(settings: HostSettings, observer: HostObserver): Member {
    const member: Member = {
      host: new Host(`host-${++this.#started}`, settings, {
        onReady: (facts) => {
          member.memory = new ResidentMemory(member.host.pid ?? 0);
          member.baseline = member.memory.read() ?? 0;
          observer.onReady(facts);
        },
        onFree: () => observer.onFree(),
        onGone: (death) => {
          member.memory?.close();
          observer.onGone(death);
        },
      }),
      memory: undefined,
      baseline: 0,
      allowance: 0,
    };
    return member;
  }

  #onReady(member: Member): void {
    this.#restarts.succeeded();
    for (const waiting of this.#waitingForReady) waiting.resolve();
    this.#waitingForReady.clear();
    if (member.host.state === 'ready') this.#queue.pump();
  }

  #onGone(member: Member, death: HostDeath): void {
    this.#members.splice(this.#members.indexOf(member), 1);
    if (this.#closed) return;
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

  /** Hosts take turns, so that each has time to make isolates ready between its runs. */
  #place(job: Job, observer: JobObserver): JobHandle | undefined {
    const busyHosts = this.#members.filter(({ host }) => host.busy > 0).length;
    for (let tried = 0; tried < this.#members.length; tried++) {
      this.#next = (this.#next + 1) % this.#members.length;
      const member = this.#members[this.#next];
      if (member === undefined || member.host.free === 0) continue;
      if (member.host.busy === 0 && busyHosts >= this.#options.hosts) continue;
      return this.#run(member, job, observer);
    }
    return undefined;
  }

  #run(member: Member, job: Job, observer: JobObserver): JobHandle {
    const cost = outerBytes(job.limits.memoryMb);
    member.allowance += cost;
    this.#watchMemory();
    return member.host.run(job, {
      onStart: (hostId) => observer.onStart(hostId),
      onLog: (level, text) => observer.onLog(level, text),
      onCall: (callId, tool, text) => observer.onCall(callId, tool, text),
      onEnd: (end) => {
        member.allowance -= cost;
        observer.onEnd(end);
      },
    });
  }

  /** Looks at the memory of busy hosts until none is busy. */
  #watchMemory(): void {
    if (this.#memoryTimer !== undefined) return;
    this.#memoryTimer = setInterval(() => {
      let busy = false;
      for (const member of [...this.#members, ...this.#sessions]) {
        if (member.host.busy === 0) continue;
        busy = true;
        this.#checkMemory(member);
      }
      if (busy) return;
      clearInterval(this.#memoryTimer);
      this.#memoryTimer = undefined;
    }, MEMORY_CHECK_MS).unref();
  }

  #checkMemory(member: Member): void {
    const used = member.memory?.read();
    const limit = member.baseline + member.allowance;
    if (used === undefined || used <= limit) return;
    const [usedMib, limitMib] = [used, limit].map((bytes) => Math.round(bytes / MIB));
    member.host.kill(
      'MEMORY_LIMIT',
      `The host process used ${usedMib} MiB of memory; ${limitMib} MiB were allowed.`,
      { limit, used },
    );
  }
}
