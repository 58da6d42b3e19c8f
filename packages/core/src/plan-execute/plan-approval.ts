import { z } from 'zod';

import type { PlanDiff } from './diff.ts';
import type { PlanStep } from './plan-steps.ts';
import type { StepRecord } from './step-records.ts';

/** A plan that waits for a person's approval. */
export interface PlanApprovalRequest {
  readonly sessionId: string;
  readonly goal: string;
  readonly revision: number;
  readonly steps: readonly PlanStep[];
  /** The difference to the remaining steps of the plan before; undefined for the first plan. */
  readonly diff: PlanDiff | undefined;
  /** Copies of the steps that were executed. */
  readonly history: readonly StepRecord[];
  readonly lastError: string | null;
  /** Ids of the results that arguments may refer to. */
  readonly resultIds: readonly number[];
}

export type PlanDecision =
  | { readonly decision: 'approve' }
  /** The session ends: no more steps are executed. */
  | { readonly decision: 'reject'; readonly reason?: string | undefined }
  /** Replaces the plan with another one. */
  | { readonly decision: 'edit'; readonly steps: readonly PlanStep[] };

/**
 * Asks a person to approve a plan. There is no time limit.
 *
 * @param context.signal Aborted when the answer is no longer needed.
 */
export type ApprovePlan = (
  request: PlanApprovalRequest,
  context: { readonly signal: AbortSignal },
) => PlanDecision | Promise<PlanDecision>;

/** Schema of a decision. The steps of an edited plan are validated like those of a planner. */
export const planDecisionSchema = z.discriminatedUnion('decision', [
  z.strictObject({ decision: z.literal('approve') }),
  z.strictObject({ decision: z.literal('reject'), reason: z.string().optional() }),
  z.strictObject({ decision: z.literal('edit'), steps: z.unknown() }),
]);
