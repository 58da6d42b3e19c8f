import type { LogEntry } from '../executor/outcome.ts';
import type { Checked } from './checks.ts';

/** What became of an execution. */
export interface Ending {
  readonly end: Checked;
  readonly attempts: number;
  readonly logs?: readonly LogEntry[];
}
