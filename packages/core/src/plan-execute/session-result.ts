import type { PlanDiff } from './diff.ts';
import type { Journal } from './journal.ts';
import type { PlanEvent } from './plan-events.ts';
import { sessionJson } from './session-json.ts';
import type { SessionJson } from './session-json.ts';
import { SESSION_REASONS } from './session-reasons.ts';
import type { SessionReason, SessionStatus } from './session-reasons.ts';
import type { StepRecord } from './step-records.ts';

/** The result of a session. Treat it as read-only. */
export interface SessionResult {
  readonly sessionId: string;
  readonly goal: string;
  readonly maxSteps: number;
  readonly maxReplans: number;
  /** The metadata that `run` or `fork` got. */
  readonly metadata: unknown;
  /** The session and the step from which it was forked. */
  readonly forkedFrom: { readonly sessionId: string; readonly stepId: number } | undefined;
  readonly status: SessionStatus;
  readonly reason: SessionReason;
  /** Details of the reason, such as the planner's error, a fault in the plan, a person's reason. */
  readonly message: string | undefined;
  /** Whether `resume` can continue the session, if it is in a store. */
  readonly resumable: boolean;
  /** The steps that were executed, in the order of the plans. */
  readonly history: readonly StepRecord[];
  /** The difference of each plan to the plan before it. */
  readonly revisions: readonly PlanDiff[];
  readonly events: readonly PlanEvent[];
  /** The result with snake_case names, for programs in other languages. */
  toJSON(): SessionJson;
}

/** The completion of a session whose log has no completion. */
const STOPPED = {
  status: SESSION_REASONS.stopped.status,
  reason: 'stopped',
  message: undefined,
} as const;

export function resultOf({ header, state, events }: Journal): SessionResult {
  const { completion = STOPPED, history, revisions } = state;
  const { status, reason, message } = completion;
  const { resumable } = SESSION_REASONS[reason];
  const result = { status, reason, message, resumable, history, revisions, events };
  const { sessionId, goal, maxSteps, maxReplans, metadata, forkedFrom } = header;
  return {
    sessionId,
    goal,
    maxSteps,
    maxReplans,
    metadata,
    forkedFrom,
    ...result,
    toJSON: () => sessionJson(header.sessionId, result),
  };
}
