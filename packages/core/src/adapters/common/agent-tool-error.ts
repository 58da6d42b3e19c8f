import type { DispatchError } from '../../dispatch/dispatch-result.ts';
import type { OutcomeError } from '../../executor/outcome.ts';

/**
 * What an adapter throws when a tool or code failed, for an agent framework to make its own kind of
 * tool error of. Most frameworks pass on the message alone, so it says all that a model needs; name
 * and code are those of what the tool or the code threw, for programs.
 */
export class AgentToolError extends Error {
  override readonly name: string;
  /** The thrown error's own code; without one, the kind of the dispatch or the code of the outcome. */
  readonly code: string | number;
  /** The whole of what went wrong. */
  override readonly cause: DispatchError | OutcomeError;

  /** Adapters make these. */
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

  /** The message alone, since it has the name: some frameworks show models this text. */
  override toString(): string {
    return this.message;
  }
}
