import type { Executor, LimitsInput, Outcome, RunOptions, ToolFunction } from '@glovebox/core';

import type { PoolKind } from '../../support/pools.ts';
import type { KindId } from '../catalogue.ts';
import type { Expected } from './expected.ts';

/** What every variant says of itself. */
interface Entry {
  /** The kinds of the catalogue that it is one of. */
  readonly kind: KindId | readonly KindId[];
  readonly name: string;
  /** Why the thread pool is not asked to bear it. */
  readonly notInThreads?: string;
}

/** One program that is run once, and how it must end. */
export interface Program extends Entry, Pick<RunOptions, 'variables' | 'language' | 'filename'> {
  readonly code: string;
  readonly tools?: Readonly<Record<string, ToolFunction>>;
  readonly limits?: LimitsInput;
  readonly expected: Expected;
  /** Looks at more than the end: logs, usage, what the tools were given. */
  readonly check?: (outcome: Outcome, calls: readonly Call[]) => void;
}

/** A tool call as the host saw it. */
export interface Call {
  readonly tool: string;
  readonly input: unknown;
}

/** What takes more than one run. It makes its own assertions on the outcomes that it gives back. */
export interface Script extends Entry {
  readonly script: (bench: Bench) => Promise<readonly Outcome[]>;
  /** The longest wall limit of its runs. */
  readonly wallMs?: number;
}

export type Variant = Program | Script;

/** What a variant runs on. */
export interface Bench {
  readonly executor: Executor;
  readonly pool: PoolKind;
}
