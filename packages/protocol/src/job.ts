import type { Limits } from './limits.ts';

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
  readonly limits: Limits;
  /** A frozen clock, in milliseconds since 1970, and a seed of 32 bits; `null` for real ones. */
  readonly deterministic: { readonly now: number; readonly seed: number } | null;
}
