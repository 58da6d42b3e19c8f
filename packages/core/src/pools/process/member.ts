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
 * Resident memory that one run may add to its host, given the heap limit of its isolate. It is more
 * than the limit: V8 may use twice its heap limit before it gives up, and values are copied a few
 * times on their way in and out.
 */
const residentBytesOf = (memoryMb: number): number => (2 * memoryMb + 96) * MIB;

/**
 * Added to the kernel's limit. The kernel counts reserved memory, and each isolate reserves about
 * one gigabyte that it never uses. The kernel's limit only matters while nobody else checks.
 */
const KERNEL_SLACK = 4096 * MIB;

/**
 * A host whose idle memory has grown by this much is replaced: isolates that ran out of memory do
 * not return theirs.
 */
const RECYCLE_GROWTH_BYTES = 96 * MIB;
/** The growth is checked after this number of runs, and after every long run. */
const GROWTH_CHECK_RUNS = 50;
const LONG_RUN_MS = 50;
/** By then an idle host has disposed the isolate of the last run and prepared the next one. */
const SETTLED_MS = 3;

/**
 * A *member* of a process pool: a host, together with the limits for its memory and its number of
 * runs. It decides when the host must be killed or replaced.
 */
export class Member implements TurnTaker {
  readonly host: Host;
  /** Whether this process reads the memory of the host; otherwise the host reports it. */
  readonly #isWatched: boolean;
  readonly #slots: number;
  readonly #defaultRunBytes: number;
  readonly #maxRuns: number;
  #memory: ResidentMemory | undefined;
  /** Resident bytes when the host became ready. */
  #bytesWhenReady = 0;
  /** Resident bytes before the current runs started. */
  #baseline = 0;
  /** Whether the baseline was read since the last run ended. */
  #isBaselineKnown = false;
  #idleTimer: NodeJS.Timeout | undefined;
  /** Resident bytes that the current runs may add together. */
  #allowance = 0;
  #kernelAllowance = Infinity;
  #runs = 0;
  #isDueForRecycling = false;
  #isTainted = false;
  #startedAt = 0;
  #endedAt = -Infinity;
  /** Whether the current run must be alone in the host. */
  #isReserved = false;

  /** @param maxRuns After this number of runs the host is due for recycling. */
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
    this.#defaultRunBytes = residentBytesOf(settings.slot.memoryMb);
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

  /** Whether the host should be replaced as soon as another one is ready. */
  get isDueForRecycling(): boolean {
    return this.#isDueForRecycling;
  }

  /**
   * Whether the host is *tainted*: a run has left it in a state that may harm other runs, so it must
   * be replaced even if no other host is ready.
   */
  get isTainted(): boolean {
    return this.#isTainted;
  }

  get idleMs(): number {
    return this.host.busy > 0 ? 0 : performance.now() - this.#endedAt;
  }

  /**
   * Whether the host can start a job now.
   *
   * @param solo Whether the job must be alone in the host.
   */
  canTake(solo: boolean): boolean {
    return !this.#isReserved && this.host.free > 0 && (!solo || this.host.busy === 0);
  }

  run(job: Job, observer: JobObserver, solo: boolean): JobHandle {
    const runBytes = residentBytesOf(job.limits.memoryMb);
    clearTimeout(this.#idleTimer);
    if (this.host.busy === 0 && !this.#isBaselineKnown) this.#readBaseline();
    this.#isBaselineKnown = false;
    this.#startedAt = performance.now();
    this.#allowance += runBytes;
    this.#isReserved = solo;
    this.#raiseKernelLimit();
    return this.host.run(job, {
      onStart: (hostId) => observer.onStart(hostId),
      onLog: (level, text) => observer.onLog(level, text),
      onCall: (callId, tool, text) => observer.onCall(callId, tool, text),
      onEnd: (end) => {
        this.#allowance -= runBytes;
        this.#isReserved = false;
        this.#endedAt = performance.now();
        this.#runs++;
        this.#updateCondition(end.type === 'outcome' && end.outcome.end === 'memory');
        this.#scheduleBaseline();
        observer.onEnd(end);
      },
    });
  }

  /** Reads the baseline before the next run, if there is time, so that no run waits for it. */
  #scheduleBaseline(): void {
    if (this.#memory === undefined || this.host.busy > 0) return;
    this.#idleTimer = setTimeout(() => this.#readBaseline(), SETTLED_MS).unref();
  }

  /** Memory that earlier runs have left behind does not count against the next run. */
  #readBaseline(): void {
    this.#baseline = this.#memory?.read() ?? this.#baseline;
    this.#isBaselineKnown = true;
  }

  /** Reads the memory of the host, and kills it if its runs use more than they may. */
  checkMemory(): void {
    const used = this.#memory?.read();
    if (used !== undefined) this.#checkMemory(used);
  }

  #checkMemory(used: number): void {
    // The first report of a host is its memory when it became ready.
    if (this.#bytesWhenReady === 0) this.#bytesWhenReady = this.#baseline = used;
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
    this.#bytesWhenReady = this.#memory.read() ?? 0;
    this.#baseline = this.#bytesWhenReady;
    this.#kernelAllowance = this.#slots * this.#defaultRunBytes + KERNEL_SLACK;
    limitMemory(pid, this.#kernelAllowance);
  }

  /** A run may have a higher limit than the pool's default. Its host loses the kernel's limit. */
  #raiseKernelLimit(): void {
    const { pid } = this.host;
    if (pid === undefined || this.#allowance <= this.#kernelAllowance) return;
    this.#kernelAllowance = Infinity;
    limitMemory(pid, Infinity);
  }

  #updateCondition(ranOutOfMemory: boolean): void {
    // The process may still die of this later, and the next run would be blamed for it.
    if (ranOutOfMemory) this.#isTainted = true;
    if (this.#runs >= this.#maxRuns) this.#isDueForRecycling = true;
    const wasLong = performance.now() - this.#startedAt > LONG_RUN_MS;
    if (!wasLong && this.#runs % GROWTH_CHECK_RUNS > 0) return;
    const used = this.#memory?.read();
    if (
      used !== undefined &&
      used > this.#bytesWhenReady + this.#allowance + RECYCLE_GROWTH_BYTES
    ) {
      this.#isDueForRecycling = true;
    }
  }
}
