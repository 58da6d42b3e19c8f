import type { SlotSettings } from '@glovebox/protocol/host-messages';
import type { Job } from '@glovebox/protocol/job';
import { DEFAULT_LIMITS } from '@glovebox/protocol/limits';
import type { SlotOutcome } from '@glovebox/protocol/slot-messages';

import type { OutcomeCode } from '../shared/errors.ts';

/**
 * Where jobs run. The executor gives jobs and keeps their clocks; a pool finds each a slot, carries
 * the conversation, and can end a run for certain.
 */
export interface WorkerPool {
  /** `thread`, `process`, or the name of a transport. */
  readonly kind: string;
  /** Takes a job; what becomes of it is told to the observer, at the earliest in a later tick. */
  submit(job: Job, observer: JobObserver): JobHandle;
  /** Sets a slot aside whose isolate stays. */
  openSession(memoryMb: number): Promise<PoolSession>;
  /** Resolves when a job would start at once; rejects when none can ever start. */
  ready(): Promise<void>;
  stats(): PoolStats;
  /** Another pool of this kind, for runs that tools of this pool's runs make. */
  nested?(): WorkerPool;
  /** Ends every run and everything that the pool has started. */
  close(): Promise<void>;
}

export interface PoolSession {
  readonly hostId: string;
  submit(job: Job, observer: JobObserver): JobHandle;
  close(): Promise<void>;
}

/** Hears of one job. `onEnd` comes once and last. */
export interface JobObserver {
  /**
   * A slot has begun with it.
   *
   * @param heldMs How long ago, where the pool did not say so at once.
   */
  onStart(hostId: string, heldMs?: number): void;
  onLog(level: string, text: string): void;
  /** The guest calls a tool; the text is its `safe:` arguments. */
  onCall(callId: number, tool: string, text: string): void;
  onEnd(end: PoolEnd): void;
}

/** Why a run is killed: it did not stop at a limit or when aborted, or it broke the protocol. */
export type KillReason = 'limit' | 'abort' | 'breach';

/** A job given to a pool. */
export interface JobHandle {
  /** Answers a tool call with a `safe:` result, or with an error as JSON. */
  reply(callId: number, ok: boolean, text: string): void;
  /** Asks the slot to end the run; a job that waits is taken out of the queue. */
  stop(): void;
  /** Ends the run whatever it does, and at once. What the slot says afterwards is not heard. */
  kill(why: KillReason): void;
}

export type PoolEnd = { readonly type: 'outcome'; readonly outcome: SlotOutcome } | PoolFailure;

/** The pool's own account of why a run has no outcome. */
export interface PoolFailure {
  readonly type: 'failure';
  readonly code: OutcomeCode;
  readonly message: string;
  readonly ran: 'no' | 'yes' | 'maybe';
  readonly limit?: number;
  readonly used?: number;
  readonly cause?: unknown;
}

/** What the pools of this machine have in common, unless something else is asked for. */
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
  /** Hosts that were killed or died since the pool began. */
  readonly hostsLost: number;
  /** Hosts that were replaced in good order, for their age or their size. */
  readonly hostsRecycled: number;
  /** Why no host can be started, when that is so. */
  readonly degraded: string | undefined;
}
