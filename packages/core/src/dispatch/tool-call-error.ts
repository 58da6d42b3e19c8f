import type { DispatchError } from './dispatch-result.ts';

/**
 * Thrown by a tool that is called as a function through a dispatcher. It has the name, message, code
 * and details of the error that the tool threw. If the tool threw no error, the code is the kind of
 * the failure.
 */
export class ToolCallError extends Error {
  override readonly name: string;
  readonly code: string | number;
  readonly details: unknown;
  /** The complete error of the dispatch. */
  readonly failure: DispatchError;

  constructor(failure: DispatchError) {
    super(failure.message);
    this.name = failure.name ?? 'ToolCallError';
    this.code = failure.toolCode ?? failure.kind;
    this.details = failure.details ?? failure.faults;
    this.failure = failure;
  }
}
