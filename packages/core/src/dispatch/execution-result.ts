import type { LogEntry } from '../executor/outcome.ts';
import type { ToolResult } from './checks.ts';

/** The result of an execution: of all attempts of one call. */
export interface ExecutionResult {
  readonly result: ToolResult;
  readonly attempts: number;
  readonly logs?: readonly LogEntry[];
}
