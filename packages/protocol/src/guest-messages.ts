/**
 * Messages between a slot's thread and the guest runtime in its isolate. They consist of primitives
 * only, never of objects. Guest code cannot reach the functions that send and receive them.
 */
import { z } from 'zod';

import { errorFields, errorText } from './error-data.ts';
import type { GuestErrorData } from './error-data.ts';
import type { GuestLimits } from './limits.ts';

/** From the isolate to the thread, about the current run. */
export type RunMessage =
  /** The run returned a value, as `safe:` text. */
  | ['end', value: string]
  /** The run failed. The text is the JSON of a {@link GuestFailure}. */
  | ['fail', failure: string]
  /** The source does not compile. */
  | ['syntax', message: string]
  | ['log', level: string, text: string]
  | ['call', callId: number, tool: string, args: string]
  /** Request for a `tick` after this delay. It replaces the previous request. */
  | ['wake', delayMs: number];

/** Every message from the isolate to the thread. */
export type GuestMessage =
  | RunMessage
  /** Guest code uses finalizers: from now on the garbage collector may call it at any time. */
  | ['finalizers'];

/** From the thread to the isolate. */
export type GuestCommand =
  /** Start a run. `variables` is `safe:` text; `config` is the JSON of a {@link GuestConfig}. */
  | ['start', source: string, variables: string, config: string]
  /** Settle a tool call. `text` is the result as `safe:` text, or the error as JSON. */
  | ['reply', callId: number, ok: boolean, text: string]
  /** Run the timers that are due. */
  | ['tick'];

/** Settings of one run, sent to the guest runtime as JSON. */
export interface GuestConfig extends GuestLimits {
  readonly filename: string;
  /** Names of the tools. A name with dots, such as `orders.total`, is a function in an object. */
  readonly tools: readonly string[];
  /** Globals that the code assigns to; the runtime defines those that do not exist yet. */
  readonly declare: readonly string[];
  /** A frozen clock and a seed for random numbers; `null` for the real clock and randomness. */
  readonly deterministic: { readonly now: number; readonly seed: number } | null;
}

/** What kind of failure the runtime reports; `thrown` means that guest code threw. */
const FAILURE_KINDS = [
  'thrown',
  'unserializable',
  'result-limit',
  'call-limit',
  'argument-limit',
] as const;

export interface GuestFailure extends GuestErrorData {
  readonly kind: (typeof FAILURE_KINDS)[number];
  /** Path of the fault within the value. */
  readonly path?: string;
  readonly limit?: number;
  readonly used?: number;
}

/** A failure as the guest runtime sends it. Guest code may have influenced every field. */
export const guestFailureSchema: z.ZodType<GuestFailure> = z.strictObject({
  kind: z.enum(FAILURE_KINDS),
  ...errorFields,
  path: z.exactOptional(errorText),
  limit: z.exactOptional(z.number()),
  used: z.exactOptional(z.number()),
});
