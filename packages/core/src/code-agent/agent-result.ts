import { AGENT_REASONS } from './agent-reasons.ts';
import type { AgentReason, AgentStatus } from './agent-reasons.ts';
import type { TokenUsage } from './memory/agent-steps.ts';

/** The result of a run. */
export interface AgentResult<T = unknown> {
  readonly status: AgentStatus;
  readonly reason: AgentReason;
  /** The value that the code gave to `finalAnswer`; for `max_steps`, a text of the model. */
  readonly answer: T | undefined;
  /** The reason as text. */
  readonly message: string;
  /** The reason of an interruption or abort, or the error. */
  readonly cause: unknown;
  /** Number of code steps. */
  readonly stepCount: number;
  /** Tokens of all model calls, including those of managed agents. */
  readonly usage: TokenUsage;
  readonly durationMs: number;
}

/** Thrown inside a run to end it for a reason. */
export class RunEnd extends Error {
  readonly reason: AgentReason;

  constructor(reason: AgentReason, cause?: unknown) {
    super(AGENT_REASONS[reason].when, { cause });
    this.reason = reason;
  }
}
