import type { DispatchError } from './dispatch-result.ts';

/**
 * The error that a caller sees who called the tool as a function: it has name, message, code and
 * details of what the tool threw; where the tool threw nothing, the kind is its code.
 */
export class ToolCallError extends Error {
  override readonly name: string;
  readonly code: string | number;
  readonly details: unknown;
  /** The whole of what went wrong. */
  readonly failure: DispatchError;

  constructor(failure: DispatchError) {
    super(failure.message);
    this.name = failure.name ?? 'ToolCallError';
    this.code = failure.toolCode ?? failure.kind;
    this.details = failure.details ?? failure.faults;
    this.failure = failure;
  }
}
