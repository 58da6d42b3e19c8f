/**
 * What passes between a slot's thread and the code inside an isolate: primitives only, never an
 * object. The isolate's side of each function is made by the guest runtime and is out of guest
 * code's reach.
 */
import { z } from 'zod';

import { errorFields, errorText } from './error-data.ts';
import type { GuestErrorData } from './error-data.ts';
import type { GuestLimits } from './limits.ts';

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

/** Which kind of failure the runtime saw; `thrown` is whatever guest code threw. */
const FAILURE_KINDS = [
  'thrown',
  'unserializable',
  'result-limit',
  'call-limit',
  'argument-limit',
] as const;

export interface GuestFailure extends GuestErrorData {
  readonly kind: (typeof FAILURE_KINDS)[number];
  /** Where in the value the fault lies. */
  readonly path?: string;
  readonly limit?: number;
  readonly used?: number;
}

/** A failure as the guest runtime writes it. The guest may have had a hand in every field. */
export const guestFailureSchema: z.ZodType<GuestFailure> = z.strictObject({
  kind: z.enum(FAILURE_KINDS),
  ...errorFields,
  path: z.exactOptional(errorText),
  limit: z.exactOptional(z.number()),
  used: z.exactOptional(z.number()),
});
