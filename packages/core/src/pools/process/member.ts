import type { HostSettings } from '@glovebox/protocol/host-messages';
import type { Job } from '@glovebox/protocol/job';

import type { TurnTaker } from '../turn-order.ts';
import type { JobHandle, JobObserver } from '../worker-pool.ts';
import { Host } from './host.ts';
import type { HostObserver } from './host.ts';
import { limitMemory } from './kernel-limit.ts';
import type { LaunchOptions } from './launch-host.ts';
import { ResidentMemory } from './memory-watch.ts';

const MIB = 1024 * 1024;

/**
 * Resident memory that a run may cost its host beyond its heap limit: V8 may use twice what it was
 * allowed before it gives up, and values are held a few times on their way.
 */
const outerBytes = (memoryMb: number): number => (2 * memoryMb + 96) * MIB;

/**
 * What the kernel allows beyond that. It counts what is reserved, and each isolate reserves about a
 * gigabyte that it never touches; this limit is for the times when nobody watches.
 */
const KERNEL_SLACK = 4096 * MIB;

/** An idle host that has grown by this much is worn: isolates that ran out of memory leave theirs. */
const WORN_BYTES = 96 * MIB;
/** How often a host's memory is looked at after a run, in runs; after a long one always. */
const WEAR_CHECK_RUNS = 50;
const LONG_RUN_MS = 50;
/** When an idle host has taken the last run's isolate apart, and made the next one ready. */
const TIDIED_MS = 3;

/** A host of a pool, with what its memory and its age allow. */
export class Member implements TurnTaker {
  readonly host: Host;
  /** Whether its memory is looked at from here; else the host reports it. */
  readonly #isWatched: boolean;
  readonly #slots: number;
  readonly #defaultCost: number;
  readonly #maxRuns: number;
  #memory: ResidentMemory | undefined;
  /** Resident bytes when the host got ready. */
  #fresh = 0;
  /** Resident bytes before the runs that are in it. */
  #baseline = 0;
  /** Whether it was read since the last run ended. */
  #isBaselineKnown = false;
  #idleTimer: NodeJS.Timeout | undefined;
  /** Resident bytes that its runs may cost together. */
  #allowance = 0;
  #kernelAllowance = Infinity;
  #runs = 0;
  #isWorn = false;
  #isTainted = false;
  #startedAt = 0;
  #endedAt = -Infinity;
  /** A run is in it that must be alone. */
  #isTaken = false;

  /** @param maxRuns After so many runs the host is worn. */
  constructor(
    id: string,
    settings: HostSettings,
    launch: LaunchOptions,
    maxRuns: number,
    observer: HostObserver,
  ) {
    this.#isWatched = settings.reportMemoryMs === 0;
    this.#slots = settings.slots;
    this.#maxRuns = maxRuns;
    this.#defaultCost = outerBytes(settings.slot.memoryMb);
    this.host = new Host(id, settings, launch, {
      onReady: (facts) => {
        this.#watch();
        observer.onReady(facts);
      },
      onFree: () => observer.onFree(),
      onMemory: (bytes) => this.#checkMemory(bytes),
      onGone: (death) => {
        clearTimeout(this.#idleTimer);
        this.#memory?.close();
        observer.onGone(death);
      },
    });
  }

  /** Whether the host has earned its replacement, as soon as another one is ready. */
  get isWorn(): boolean {
    return this.#isWorn;
  }

  /** Whether a run has left the host in a state that no other run should be in. */
  get isTainted(): boolean {
    return this.#isTainted;
  }

  get idleMs(): number {
    return this.host.busy > 0 ? 0 : performance.now() - this.#endedAt;
  }

  /** Whether it has a slot for a job. */
  takes(solo: boolean): boolean {
    return !this.#isTaken && this.host.free > 0 && (!solo || this.host.busy === 0);
  }

  run(job: Job, observer: JobObserver, solo: boolean): JobHandle {
    const cost = outerBytes(job.limits.memoryMb);
    clearTimeout(this.#idleTimer);
    if (this.host.busy === 0 && !this.#isBaselineKnown) this.#readBaseline();
    this.#isBaselineKnown = false;
    this.#startedAt = performance.now();
    this.#allowance += cost;
    this.#isTaken = solo;
    this.#raiseKernelLimit();
    return this.host.run(job, {
      onStart: (hostId) => observer.onStart(hostId),
      onLog: (level, text) => observer.onLog(level, text),
      onCall: (callId, tool, text) => observer.onCall(callId, tool, text),
      onEnd: (end) => {
        this.#allowance -= cost;
        this.#isTaken = false;
        this.#endedAt = performance.now();
        this.#runs++;
        this.#judge(end.type === 'outcome' && end.outcome.end === 'memory');
        this.#readBaselineSoon();
        observer.onEnd(end);
      },
    });
  }

  /** Reads it before the next run comes, if there is time, so that no run waits for it. */
  #readBaselineSoon(): void {
    if (this.#memory === undefined || this.host.busy > 0) return;
    this.#idleTimer = setTimeout(() => this.#readBaseline(), TIDIED_MS).unref();
  }

  /** What earlier runs have left is not the next one's doing. */
  #readBaseline(): void {
    this.#baseline = this.#memory?.read() ?? this.#baseline;
    this.#isBaselineKnown = true;
  }

  /** Kills the host when its runs have used more memory than they may. */
  checkMemory(): void {
    const used = this.#memory?.read();
    if (used !== undefined) this.#checkMemory(used);
  }

  #checkMemory(used: number): void {
    // What a host reports before anything is known of it is what it begins with.
    if (this.#fresh === 0) this.#fresh = this.#baseline = used;
    const limit = this.#baseline + this.#allowance;
    if (used <= limit) return;
    const [usedMib, limitMib] = [used, limit].map((bytes) => Math.round(bytes / MIB));
    this.host.kill(
      'MEMORY_LIMIT',
      `The host process used ${usedMib} MiB of memory; ${limitMib} MiB were allowed.`,
      { limit, used },
    );
  }

  #watch(): void {
    const { pid } = this.host;
    if (pid === undefined || !this.#isWatched) return;
    this.#memory = new ResidentMemory(pid);
    this.#fresh = this.#memory.read() ?? 0;
    this.#baseline = this.#fresh;
    this.#kernelAllowance = this.#slots * this.#defaultCost + KERNEL_SLACK;
    limitMemory(pid, this.#kernelAllowance);
  }

  /** Runs may bring a higher limit than the pool's; such a host does without the kernel's. */
  #raiseKernelLimit(): void {
    const { pid } = this.host;
    if (pid === undefined || this.#allowance <= this.#kernelAllowance) return;
    this.#kernelAllowance = Infinity;
    limitMemory(pid, Infinity);
  }

  #judge(ranOutOfMemory: boolean): void {
    // V8 has been at its limits: the process may die of it later, and not of its next run.
    if (ranOutOfMemory) this.#isTainted = true;
    if (this.#runs >= this.#maxRuns) this.#isWorn = true;
    const wasLong = performance.now() - this.#startedAt > LONG_RUN_MS;
    if (!wasLong && this.#runs % WEAR_CHECK_RUNS > 0) return;
    const used = this.#memory?.read();
    if (used !== undefined && used > this.#fresh + this.#allowance + WORN_BYTES) {
      this.#isWorn = true;
    }
  }
}
