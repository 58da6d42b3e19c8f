import { z } from 'zod';

import type { PlanDiff, PlanSource } from './diff.ts';
import { planSchema } from './plan-steps.ts';
import type { GatherPolicy, PlanStep } from './plan-steps.ts';
import { SESSION_REASONS } from './session-reasons.ts';
import type { SessionReason, SessionStatus } from './session-reasons.ts';
import type { StepFailure } from './step-failure.ts';

/** What becomes of a step that was under way when its session stopped. */
export type InFlightAction = 'run_again' | 'fail' | 'take_result';

/** What each event says, by its type. */
export interface PlanEventPayloads {
  /** A plan that is not in force yet. There is none for a first plan that nobody has to approve. */
  readonly 'plan.draft': {
    readonly revision: number;
    readonly source: PlanSource;
    readonly steps: readonly PlanStep[];
  };
  readonly 'plan.diff': PlanDiff;
  /** What a person said about the draft. After `edit` comes the person's own draft. */
  readonly 'plan.approval': {
    readonly revision: number;
    readonly decision: 'approve' | 'reject' | 'edit';
    readonly reason?: string | undefined;
  };
  /** The plan is in force. */
  readonly 'plan.commit': { readonly revision: number; readonly steps: readonly PlanStep[] };
  readonly 'gather.start': {
    readonly stepId: number;
    readonly policy: GatherPolicy;
    /** Ids of its branches. */
    readonly branches: readonly number[];
  };
  /** A call is about to be made. */
  readonly 'step.start': {
    readonly stepId: number;
    readonly toolName: string;
    /** The gather that it is a branch of. */
    readonly gatherId?: number | undefined;
    /** Hash of tool and arguments. */
    readonly signature: string;
    /** It was under way when the session stopped, and is run again; counts as no further step. */
    readonly again?: boolean | undefined;
  };
  /** An earlier revision has done the same: its result is taken, and no call is made. */
  readonly 'step.cached': {
    readonly stepId: number;
    readonly toolName: string;
    readonly gatherId?: number | undefined;
    readonly signature: string;
    /** The step whose result it is. */
    readonly fromStepId: number;
  };
  readonly 'step.end': {
    readonly stepId: number;
    readonly gatherId?: number | undefined;
    /**
     * `cancelled`: stopped because its gather was decided. `aborted`: stopped by the caller's
     * signal; it stays under way for whoever resumes the session.
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
    /** The branch whose result is taken, for `race`. */
    readonly winner?: number | undefined;
    /** The failures of its branches. */
    readonly error?: string | undefined;
  };
  readonly 'session.resume': {
    /** What was under way, and what becomes of it. */
    readonly inFlight: readonly { readonly stepId: number; readonly action: InFlightAction }[];
  };
  readonly 'session.complete': {
    readonly status: SessionStatus;
    readonly reason: SessionReason;
    readonly message?: string | undefined;
  };
}

export type PlanEventType = keyof PlanEventPayloads;

/** When each event comes. `docs/plan-execute.md` is checked against this table. */
export const PLAN_EVENTS = {
  'plan.draft': 'A plan was made that is not in force yet.',
  'plan.diff': 'The draft was compared with what was left of the plan before.',
  'plan.approval': 'A person was asked about the draft, and answered.',
  'plan.commit': 'A plan is in force.',
  'gather.start': 'Branches are about to be carried out at once.',
  'step.start': 'A call is about to be made.',
  'step.cached': 'A step takes the result of an earlier one, and no call is made.',
  'step.end': 'A call has ended.',
  'gather.end': 'The policy of a gather has decided, and none of its branches is under way.',
  'session.resume': 'A session goes on that was stopped, or whose process died.',
  'session.complete': 'The session has ended; the last event, unless it is resumed.',
} as const satisfies Record<PlanEventType, string>;

/** An event before it has its number and time. */
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
  /** When, in milliseconds since 1970. */
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
}) as unknown as z.ZodType<StepFailure>; // Written by this package; kinds may come and go.

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

/** Reads an event of a log. Throws a `ZodError`. */
export function parseEvent(value: unknown): PlanEvent {
  const { seq, ts, type, payload } = envelope.parse(value);
  // The schema of the type has just read the payload; the compiler cannot follow the pairing.
  return { seq, ts, type, payload: payloads[type].parse(payload) } as PlanEvent;
}
