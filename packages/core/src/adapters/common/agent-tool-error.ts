import type { DispatchError } from '../../dispatch/dispatch-result.ts';
import type { OutcomeError } from '../../executor/outcome.ts';

/**
 * An adapter throws this error if a tool or code failed; the agent framework turns it into its own
 * tool error. Most frameworks pass only the message to the model, so the message contains all that
 * a model needs. Name and code, for programs, are those of the error that the tool or code threw.
 */
export class AgentToolError extends Error {
  override readonly name: string;
  /** Code of the thrown error; without one, the kind of the dispatch error or the outcome code. */
  readonly code: string | number;
  /** The complete error of the dispatch or the outcome. */
  override readonly cause: DispatchError | OutcomeError;

  /** Called by adapters. */
  constructor(message: string, cause: DispatchError | OutcomeError) {
    super(message);
    this.cause = cause;
    if ('kind' in cause) {
      this.name = cause.name ?? 'ToolCallError';
      this.code = cause.toolCode ?? cause.kind;
    } else {
      this.name = cause.name;
      this.code = cause.guestCode ?? cause.code;
    }
  }

  /** Only the message, which contains the name: some frameworks show this text to models. */
  override toString(): string {
    return this.message;
  }
}
