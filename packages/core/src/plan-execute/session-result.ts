import type { PlanDiff } from './diff.ts';
import type { Journal } from './journal.ts';
import type { PlanEvent } from './plan-events.ts';
import { sessionJson } from './session-json.ts';
import type { SessionJson } from './session-json.ts';
import { SESSION_REASONS } from './session-reasons.ts';
import type { SessionReason, SessionStatus } from './session-reasons.ts';
import type { StepRecord } from './step-records.ts';

/** What became of a session. Treat it as read-only. */
export interface SessionResult {
  readonly sessionId: string;
  readonly goal: string;
  readonly maxSteps: number;
  readonly maxReplans: number;
  /** What `run` was given. */
  readonly metadata: unknown;
  /** The session and the step from which it was forked. */
  readonly forkedFrom: { readonly sessionId: string; readonly stepId: number } | undefined;
  readonly status: SessionStatus;
  readonly reason: SessionReason;
  /** What the reason leaves open: the planner's error, what is wrong with a plan, a person's word. */
  readonly message: string | undefined;
  /** Whether `resume` goes on with it, given that it is kept in a store. */
  readonly resumable: boolean;
  /** The steps that were carried out, in the order of the plans. */
  readonly history: readonly StepRecord[];
  /** How each plan differs from the one before. */
  readonly revisions: readonly PlanDiff[];
  readonly events: readonly PlanEvent[];
  /** The same with snake_case names, for readers in other languages. */
  toJSON(): SessionJson;
}

/** A session that has no end was stopped from outside. */
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
