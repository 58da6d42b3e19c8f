import type { OutcomeCode } from '../shared/errors.ts';

/** The outcome of a run: a value, or an error as data. It is not frozen; the caller may change it. */
export type Outcome<T = unknown> = OutcomeOk<T> | OutcomeFailed;

interface OutcomeCommon {
  /** What guest code wrote to `console`, in order, up to the log limit. */
  readonly logs: readonly LogEntry[];
  readonly usage: Usage;
}

export interface OutcomeOk<T = unknown> extends OutcomeCommon {
  readonly ok: true;
  readonly value: T;
}

export interface OutcomeFailed extends OutcomeCommon {
  readonly ok: false;
  readonly error: OutcomeError;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LogEntry {
  readonly level: LogLevel;
  readonly text: string;
  /** When the executor received it, in milliseconds since 1970. */
  readonly at: number;
}

/** Why a run failed. Do not trust text fields that come from the guest: it controls them. */
export interface OutcomeError {
  readonly code: OutcomeCode;
  /** For `GUEST_ERROR` and `SYNTAX_ERROR` the name of the guest's error, otherwise the code. */
  readonly name: string;
  readonly message: string;
  /** The guest's stack. It contains no frames of the host. */
  readonly stack?: string;
  /** Line in the original source, from 1. */
  readonly line?: number;
  /** Column in the original source, from 1. */
  readonly column?: number;
  /** The guest error's own `code`. */
  readonly guestCode?: string | number;
  /** The cause of the guest's error, the reason of an abort, or what a host reported as it died. */
  readonly cause?: unknown;
  /** Path of the value in the result that cannot be serialized, such as `.rows[3].when`. */
  readonly path?: string;
  /** The limit that was exceeded: milliseconds for time, bytes for data, otherwise a count. */
  readonly limit?: number;
  /** The amount that was used, in the unit of `limit`. */
  readonly used?: number;
  /** Whether any of the code has run. */
  readonly ran: 'no' | 'yes' | 'maybe';
  /** Whether the same run, without any change, may succeed later. */
  readonly retryable: boolean;
}

/** The resources that a run used. */
export interface Usage {
  /**
   * Time from the start of the run in its slot to its end, in milliseconds, measured by the executor.
   * Time spent waiting for a person's approval does not count.
   */
  readonly wallMs: number;
  /** CPU time of the isolate, in milliseconds; 0 if the isolate was already gone. */
  readonly cpuMs: number;
  /** Time from the call of `run` to the start in a slot, in milliseconds. */
  readonly queueMs: number;
  /** V8 heap in use at the end, in bytes; 0 if the isolate was already gone. */
  readonly heapBytes: number;
  readonly toolCalls: number;
  readonly resultBytes: number;
  readonly logBytes: number;
  /** The host or thread that ran the code; an empty string if none did. */
  readonly hostId: string;
}
