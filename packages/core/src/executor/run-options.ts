import type { LimitsInput } from '@glovebox/protocol/limits';

import type { LogEntry } from './outcome.ts';
import type { Tools } from './run-tools.ts';

/** Untrusted code, and what it may use. */
export interface RunOptions {
  /** The body of an async function: `return` and `await` work. Runs in strict mode. */
  readonly code: string;
  /** Values by name. Guest code sees them as constants. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** Functions of the application by name. Guest code calls `name(input)` or `tools.name(input)`. */
  readonly tools?: Tools | undefined;
  readonly limits?: LimitsInput | undefined;
  /** `auto` (default) tries JavaScript first, then TypeScript with its types stripped. */
  readonly language?: 'auto' | 'javascript' | 'typescript' | undefined;
  /** Name of the source in stack traces; `guest.js` by default. */
  readonly filename?: string | undefined;
  /** A frozen clock and a seed for random numbers, so that a run can be repeated exactly. */
  readonly deterministic?: { readonly now: number | Date; readonly seed: number } | undefined;
  /** Ends the run as `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each log line when it arrives. */
  readonly onLog?: ((entry: LogEntry) => void) | undefined;
}

export interface SessionOptions {
  /** Tools of every run of the session. */
  readonly tools?: Tools | undefined;
  /** Limits of every run of the session. */
  readonly limits?: LimitsInput | undefined;
}
