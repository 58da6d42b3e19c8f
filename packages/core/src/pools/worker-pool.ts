import type { SlotSettings } from '@glovebox/protocol/host-messages';
import type { Job } from '@glovebox/protocol/job';
import { DEFAULT_LIMITS } from '@glovebox/protocol/limits';
import type { SlotOutcome } from '@glovebox/protocol/slot-messages';

import type { OutcomeCode } from '../shared/errors.ts';

/**
 * Where jobs run. The executor submits jobs and measures their time. A pool finds a slot for each
 * job, passes messages between the run and its observer, and can always end a run.
 */
export interface WorkerPool {
  /** `thread`, `process`, or the name of a transport. */
  readonly kind: string;
  /**
   * Submits a job. The observer gets all events of the job. Its `onEnd` is never called before this
   * method has returned the handle.
   */
  submit(job: Job, observer: JobObserver): JobHandle;
  /** Reserves a slot that keeps one isolate for all runs of the session. */
  openSession(memoryMb: number): Promise<PoolSession>;
  /** Resolves when a job would start at once. Rejects if no host or thread can be started. */
  ready(): Promise<void>;
  stats(): PoolStats;
  /**
   * Creates another pool of this kind for nested runs: those that tools of this pool's runs start.
   * They need slots of their own, because a run keeps its slot while its tools work.
   */
  nested?(): WorkerPool;
  /** Ends every run, and every process, thread and connection of the pool. */
  close(): Promise<void>;
}

/** A slot that is reserved for one session. */
export interface PoolSession {
  readonly hostId: string;
  submit(job: Job, observer: JobObserver): JobHandle;
  close(): Promise<void>;
}

/** Receives the events of one job. `onEnd` is called exactly once, after all other events. */
export interface JobObserver {
  /**
   * A slot has started the job.
   *
   * @param heldMs How many milliseconds ago, if the pool reports it with a delay.
   */
  onStart(hostId: string, heldMs?: number): void;
  onLog(level: string, text: string): void;
  /** The guest calls a tool; the text is its `safe:` arguments. */
  onCall(callId: number, tool: string, text: string): void;
  onEnd(end: PoolEnd): void;
}

/**
 * Why a run is killed. `limit` and `abort`: it did not stop in time after it reached a limit or was
 * aborted. `breach`: it violated the protocol.
 */
export type KillReason = 'limit' | 'abort' | 'breach';

/** Controls a job that was submitted to a pool. */
export interface JobHandle {
  /** Answers a tool call with a result as `safe:` text, or with an error as JSON. */
  reply(callId: number, ok: boolean, text: string): void;
  /** Asks the slot to end the run. A job that is still waiting leaves the queue. */
  stop(): void;
  /** Ends the run at once, whatever it does. Later messages of the slot are ignored. */
  kill(why: KillReason): void;
}

/** How a job ended: with an outcome of its slot, or with a failure that the pool reports. */
export type PoolEnd = { readonly type: 'outcome'; readonly outcome: SlotOutcome } | PoolFailure;

/** Why a job ended without an outcome of its slot. */
export interface PoolFailure {
  readonly type: 'failure';
  readonly code: OutcomeCode;
  readonly message: string;
  /** Whether the code may have run. */
  readonly ran: 'no' | 'yes' | 'maybe';
  readonly limit?: number;
  readonly used?: number;
  readonly cause?: unknown;
}

/** Default options that the pools on this machine share. */
export interface PoolDefaults {
  readonly maxQueue: number;
  readonly queueMs: number;
  readonly maxSessions: number;
  readonly slot: Omit<SlotSettings, 'session'>;
}

export function poolDefaults(): PoolDefaults {
  return {
    maxQueue: 100_000,
    queueMs: 60_000,
    maxSessions: 16,
    slot: { memoryMb: DEFAULT_LIMITS.memoryMb, features: [], prepared: 2 },
  };
}

export interface PoolStats {
  readonly kind: string;
  /** Hosts or threads that can take jobs. */
  readonly hosts: number;
  readonly spareHosts: number;
  readonly busySlots: number;
  readonly freeSlots: number;
  readonly queued: number;
  readonly sessions: number;
  /** Hosts that were killed or died since the pool was created. */
  readonly hostsLost: number;
  /** Hosts that were replaced because of their number of runs or their memory usage. */
  readonly hostsRecycled: number;
  /** Why no host can be started; undefined while hosts can be started. */
  readonly degraded: string | undefined;
}
