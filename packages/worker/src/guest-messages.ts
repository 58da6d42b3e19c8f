/**
 * What passes between the thread and the code inside an isolate: primitives only, never an object.
 * The isolate's side of each function is made by the guest runtime and is out of guest code's reach.
 */

/** From the isolate to the thread, about its run. */
export type RunMessage =
  /** The run has a value, as `safe:` text. */
  | ['end', value: string]
  /** The run failed; the text is the JSON of a {@link GuestFailure}. */
  | ['fail', failure: string]
  /** The source does not compile. */
  | ['syntax', message: string]
  | ['log', level: string, text: string]
  | ['call', callId: number, tool: string, args: string]
  /** Wake the guest's timers in so many milliseconds; replaces the wake-up asked for before. */
  | ['wake', delayMs: number];

/** From the isolate to the thread. */
export type GuestMessage =
  | RunMessage
  /** From now on the collector may call guest code at any time. */
  | ['finalizers'];

/** A function inside the isolate that takes one message of the thread. */
export type GuestCommand =
  | ['start', source: string, variables: string, config: string]
  | ['reply', callId: number, ok: boolean, text: string]
  | ['tick'];

/** Limits that the guest runtime keeps itself, so that nothing over them has to leave the isolate. */
export interface GuestLimits {
  readonly variablesBytes: number;
  readonly resultBytes: number;
  readonly logBytes: number;
  readonly toolCalls: number;
  readonly toolCallsInFlight: number;
  readonly toolArgBytes: number;
  readonly toolResultBytes: number;
}

/** What a guest is told about its run, as JSON. */
export interface GuestConfig extends GuestLimits {
  readonly filename: string;
  /** Names of the tools; one with dots is a function within objects. */
  readonly tools: readonly string[];
  /** Globals that the code assigns to, and that may not be there yet. */
  readonly declare: readonly string[];
  /** A clock that stands still and randomness that repeats; `null` for real ones. */
  readonly deterministic: { readonly now: number; readonly seed: number } | null;
}

/** An error as data. The guest wrote it: every field is text that proves nothing. */
export interface ErrorData {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: string | number;
  readonly cause?: ErrorData;
}

export interface GuestFailure extends ErrorData {
  /** Which kind of failure the runtime saw; `thrown` is whatever guest code threw. */
  readonly kind: 'thrown' | 'unserializable' | 'result-limit' | 'call-limit' | 'argument-limit';
  /** Where in the value the fault lies. */
  readonly path?: string;
  readonly limit?: number;
  readonly used?: number;
}

/**
 * Decimal digits of one BigInt that a guest may send. Reading one takes time in the square of its
 * digits, and it is the caller's thread that reads.
 */
export const MAX_BIGINT_DIGITS = 4096;

/**
 * Text in front of the guest's code on its first line. Columns of that line are shifted by its
 * length; line numbers are those of the source.
 */
export const CODE_PREFIX = '(async function(){"use strict";';
