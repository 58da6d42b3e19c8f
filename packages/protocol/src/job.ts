import type { Limits } from './limits.ts';

/** One run to do: untrusted code, its variables, the tools it may call, and its limits. */
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
  readonly limits: Limits;
  /**
   * A frozen clock, in milliseconds since 1970, and a 32-bit seed for random numbers; `null` for the
   * real clock and randomness.
   */
  readonly deterministic: { readonly now: number; readonly seed: number } | null;
}
