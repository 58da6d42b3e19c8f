/**
 * What a pool and one of its slots say to each other. The same messages pass between threads
 * (structured clone) and between processes (frames, see `slot-link.ts`).
 */

import type { GuestLimits } from './guest-messages.ts';

/** One piece of untrusted code with all that it may use. */
export interface Job {
  readonly code: string;
  /** Name of the source in stack traces; letters, digits, `.`, `_` and `-`. */
  readonly filename: string;
  /** `auto` tries JavaScript first, then TypeScript with its types stripped. */
  readonly language: 'auto' | 'javascript' | 'typescript';
  /** The variables by name, as `safe:` text. */
  readonly variables: string;
  /** Names of the tools that the code may call. */
  readonly tools: readonly string[];
  readonly limits: JobLimits;
  /** A frozen clock, in milliseconds since 1970, and a seed of 32 bits; `null` for real ones. */
  readonly deterministic: { readonly now: number; readonly seed: number } | null;
}

/** Limits that a slot enforces itself. The parent enforces time, and counts calls again. */
export interface JobLimits extends GuestLimits {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly memoryMb: number;
}

/** From the pool to the slot. A command for a run that is over is ignored. */
export type SlotCommand =
  | { readonly type: 'run'; readonly run: number; readonly job: Job }
  | {
      readonly type: 'reply';
      readonly run: number;
      readonly callId: number;
      readonly ok: boolean;
      readonly text: string;
    }
  | { readonly type: 'stop'; readonly run: number }
  /** Give all isolates up, so that the thread can be terminated. */
  | { readonly type: 'close' };

/** What a run says before its end. */
export type RunEvent =
  | { readonly type: 'log'; readonly level: string; readonly text: string }
  | {
      readonly type: 'call';
      readonly callId: number;
      readonly tool: string;
      readonly text: string;
    };

/** From the slot to the pool, in order; `end` is the last of its run. */
export type SlotEvent = (RunEvent | ({ readonly type: 'end' } & SlotOutcome)) & {
  readonly run: number;
};

/** The only message that a slot's thread posts by itself: its code has loaded. */
export const SLOT_LOADED = 'slot-loaded';

/** How a run ended, as its slot saw it. */
export interface SlotOutcome {
  readonly end:
    /** It has a value; `text` is `safe:`. */
    | 'value'
    /** It failed; `text` is the JSON of a `GuestFailure`. */
    | 'failure'
    /** It does not compile; `text` is the JSON of a `SyntaxFailure`. */
    | 'syntax'
    /** A time limit that the slot keeps as well, or `stop`. */
    | 'stopped'
    | 'cpu'
    | 'memory'
    /** The isolate of the session is gone. */
    | 'session-lost';
  readonly text: string;
  readonly cpuMs: number;
  readonly heapBytes: number;
  /** V8 has lost control of the isolate: the process must not be used again. */
  readonly condemned: boolean;
}

/** A compile error with its place in the source as given. */
export interface SyntaxFailure {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  /** Some of it has run: it compiles, though not as one function. */
  readonly ran?: true;
}
