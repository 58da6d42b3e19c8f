import type { OutcomeCode } from '../shared/errors.ts';

/** What became of a run: a value, or an error as data. Frozen is neither; it belongs to the caller. */
export type Outcome<T = unknown> = OutcomeOk<T> | OutcomeFailed;

interface OutcomeCommon {
  /** What guest code wrote to `console`, in order, as far as the log limit goes. */
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

/** Why a run failed. Text fields that come from the guest say what the guest wanted them to say. */
export interface OutcomeError {
  readonly code: OutcomeCode;
  /** The guest error's own name for `GUEST_ERROR` and `SYNTAX_ERROR`, else the code's. */
  readonly name: string;
  readonly message: string;
  /** The guest's stack: no frame of the host is in it. */
  readonly stack?: string;
  /** 1-based place in the source as given. */
  readonly line?: number;
  readonly column?: number;
  /** The guest error's own `code`. */
  readonly guestCode?: string | number;
  /** The guest error's cause, the reason of an abort, or what a host said before it died. */
  readonly cause?: unknown;
  /** Where in the result lies what cannot cross, such as `.rows[3].when`. */
  readonly path?: string;
  /** What was allowed and what was used: milliseconds for time, bytes for data, else a count. */
  readonly limit?: number;
  readonly used?: number;
  /** Whether any of the code has run. */
  readonly ran: 'no' | 'yes' | 'maybe';
  /** Whether the same run may go well another time, with nothing changed. */
  readonly retryable: boolean;
}

/** What a run cost. */
export interface Usage {
  /**
   * From the slot's start on the run to its end, in milliseconds, by the executor's clock; the
   * time in which it stood still for a person is not in it.
   */
  readonly wallMs: number;
  /** CPU time of the isolate in milliseconds; 0 when the isolate could not be asked any more. */
  readonly cpuMs: number;
  /** From `run` to the slot's start, in milliseconds. */
  readonly queueMs: number;
  /** V8 heap in use at the end, in bytes; 0 when the isolate could not be asked any more. */
  readonly heapBytes: number;
  readonly toolCalls: number;
  readonly resultBytes: number;
  readonly logBytes: number;
  /** The host or thread that ran it; empty when none did. */
  readonly hostId: string;
}
