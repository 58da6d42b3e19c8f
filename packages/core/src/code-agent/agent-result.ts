import { AGENT_REASONS } from './agent-reasons.ts';
import type { AgentReason, AgentStatus } from './agent-reasons.ts';
import type { TokenUsage } from './memory/agent-steps.ts';

/** How a run ended. */
export interface AgentResult<T = unknown> {
  readonly status: AgentStatus;
  readonly reason: AgentReason;
  /** The value that the code gave to `finalAnswer`; for `max_steps` what the model said in words. */
  readonly answer: T | undefined;
  /** The reason in words. */
  readonly message: string;
  /** The reason of an interruption or abort, or what was thrown. */
  readonly cause: unknown;
  /** Steps of code. */
  readonly stepCount: number;
  /** Of all models, those of other agents that it called included. */
  readonly usage: TokenUsage;
  readonly durationMs: number;
}

/** Ends a run from within. */
export class RunEnd extends Error {
  readonly reason: AgentReason;

  constructor(reason: AgentReason, cause?: unknown) {
    super(AGENT_REASONS[reason].when, { cause });
    this.reason = reason;
  }
}
