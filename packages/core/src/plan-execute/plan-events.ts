import { z } from 'zod';

import type { PlanDiff, PlanSource } from './diff.ts';
import { planSchema } from './plan-steps.ts';
import type { GatherPolicy, PlanStep } from './plan-steps.ts';
import { SESSION_REASONS } from './session-reasons.ts';
import type { SessionReason, SessionStatus } from './session-reasons.ts';
import type { StepFailure } from './step-failure.ts';

/** How a resumed session continues with a step that was running when the session stopped. */
export type InFlightAction = 'run_again' | 'fail' | 'take_result';

/** The payload of each event type. */
export interface PlanEventPayloads {
  /** A plan that has not taken effect yet. A first plan without approval has no draft. */
  readonly 'plan.draft': {
    readonly revision: number;
    readonly source: PlanSource;
    readonly steps: readonly PlanStep[];
  };
  readonly 'plan.diff': PlanDiff;
  /** A person's decision about the draft. After `edit`, the draft of the person follows. */
  readonly 'plan.approval': {
    readonly revision: number;
    readonly decision: 'approve' | 'reject' | 'edit';
    readonly reason?: string | undefined;
  };
  /** The plan takes effect. */
  readonly 'plan.commit': { readonly revision: number; readonly steps: readonly PlanStep[] };
  readonly 'gather.start': {
    readonly stepId: number;
    readonly policy: GatherPolicy;
    /** Ids of the branches. */
    readonly branches: readonly number[];
  };
  /** A call is about to start. */
  readonly 'step.start': {
    readonly stepId: number;
    readonly toolName: string;
    /** The gather that contains the step as a branch. */
    readonly gatherId?: number | undefined;
    /** Hash of tool and arguments. */
    readonly signature: string;
    /** Run again after the session stopped during the call; it does not count as another step. */
    readonly again?: boolean | undefined;
  };
  /** The step reuses the result of the same step in an earlier revision, without a call. */
  readonly 'step.cached': {
    readonly stepId: number;
    readonly toolName: string;
    readonly gatherId?: number | undefined;
    readonly signature: string;
    /** The step whose result is reused. */
    readonly fromStepId: number;
  };
  readonly 'step.end': {
    readonly stepId: number;
    readonly gatherId?: number | undefined;
    /**
     * `cancelled`: stopped because the result of its gather was decided. `aborted`: stopped by the
     * caller's signal; it is still in flight when the session is resumed.
     */
    readonly outcome: 'ok' | 'error' | 'cancelled' | 'aborted';
    readonly result?: unknown;
    /** Name and message of the failure. */
    readonly error?: string | undefined;
    readonly failure?: StepFailure | undefined;
  };
  readonly 'gather.end': {
    readonly stepId: number;
    readonly outcome: 'ok' | 'error';
    /** For `race`: the branch whose result is the result of the gather. */
    readonly winner?: number | undefined;
    /** The failures of the branches. */
    readonly error?: string | undefined;
  };
  readonly 'session.resume': {
    /** The steps that were running, and how the session continues with them. */
    readonly inFlight: readonly { readonly stepId: number; readonly action: InFlightAction }[];
  };
  readonly 'session.complete': {
    readonly status: SessionStatus;
    readonly reason: SessionReason;
    readonly message?: string | undefined;
  };
}

export type PlanEventType = keyof PlanEventPayloads;

/** When each event is emitted. A test compares `docs/plan-execute.md` with this table. */
export const PLAN_EVENTS = {
  'plan.draft': 'A plan was made that has not taken effect yet.',
  'plan.diff': 'The draft was compared with the remaining steps of the plan before.',
  'plan.approval': 'A person was asked about the draft, and answered.',
  'plan.commit': 'A plan takes effect.',
  'gather.start': 'Branches are about to run in parallel.',
  'step.start': 'A call is about to start.',
  'step.cached': 'A step reuses the result of an earlier one, without a call.',
  'step.end': 'A call has ended.',
  'gather.end': 'The policy of a gather has decided, and no branch is running.',
  'session.resume': 'A session continues that was stopped, or whose process died.',
  'session.complete': 'The session has ended; the last event, unless it is resumed.',
} as const satisfies Record<PlanEventType, string>;

/** An event without its number and time. */
export type PlanEventBody = {
  readonly [Type in PlanEventType]: {
    readonly type: Type;
    readonly payload: PlanEventPayloads[Type];
  };
}[PlanEventType];

/** Something that happened in a session. Treat it as read-only. */
export type PlanEvent = PlanEventBody & {
  /** From 1, without gaps. */
  readonly seq: number;
  /** Time in milliseconds since 1970. */
  readonly ts: number;
};

const revision = z.int().min(0);
const stepId = z.int();
const gatherId = z.int().optional();
const ids = z.array(z.int());
const source = z.enum(['planner', 'person']);

const failure = z.looseObject({
  kind: z.string(),
  message: z.string(),
}) as unknown as z.ZodType<StepFailure>; // Other versions may have other kinds.

const payloads = {
  'plan.draft': z.object({ revision, source, steps: planSchema }),
  'plan.diff': z.object({
    revision,
    source,
    removed: ids,
    added: ids,
    revised: ids,
    moved: ids,
    outcomeChanged: ids,
  }),
  'plan.approval': z.object({
    revision,
    decision: z.enum(['approve', 'reject', 'edit']),
    reason: z.string().optional(),
  }),
  'plan.commit': z.object({ revision, steps: planSchema }),
  'gather.start': z.object({
    stepId,
    policy: z.enum(['all', 'settled', 'race']),
    branches: ids,
  }),
  'step.start': z.object({
    stepId,
    toolName: z.string(),
    gatherId,
    signature: z.string(),
    again: z.boolean().optional(),
  }),
  'step.cached': z.object({
    stepId,
    toolName: z.string(),
    gatherId,
    signature: z.string(),
    fromStepId: z.int(),
  }),
  'step.end': z.object({
    stepId,
    gatherId,
    outcome: z.enum(['ok', 'error', 'cancelled', 'aborted']),
    result: z.unknown().optional(),
    error: z.string().optional(),
    failure: failure.optional(),
  }),
  'gather.end': z.object({
    stepId,
    outcome: z.enum(['ok', 'error']),
    winner: z.int().optional(),
    error: z.string().optional(),
  }),
  'session.resume': z.object({
    inFlight: z.array(z.object({ stepId, action: z.enum(['run_again', 'fail', 'take_result']) })),
  }),
  'session.complete': z.object({
    status: z.enum(['completed', 'failed', 'interrupted']),
    reason: z.custom<SessionReason>(
      (value) => typeof value === 'string' && Object.hasOwn(SESSION_REASONS, value),
    ),
    message: z.string().optional(),
  }),
} satisfies { readonly [Type in PlanEventType]: z.ZodType<PlanEventPayloads[Type]> };

const envelope = z.object({
  seq: z.int().min(1),
  ts: z.number(),
  type: z.custom<PlanEventType>(
    (value) => typeof value === 'string' && Object.hasOwn(payloads, value),
  ),
  payload: z.unknown(),
});

/** Parses an event of a log. Throws a `ZodError`. */
export function parseEvent(value: unknown): PlanEvent {
  const { seq, ts, type, payload } = envelope.parse(value);
  // `payloads[type]` has just parsed the payload; the compiler cannot relate type and payload.
  return { seq, ts, type, payload: payloads[type].parse(payload) } as PlanEvent;
}
