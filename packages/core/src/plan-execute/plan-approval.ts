import { z } from 'zod';

import type { PlanDiff } from './diff.ts';
import type { PlanStep } from './plan-steps.ts';
import type { StepRecord } from './step-records.ts';

/** A plan that waits for a person. */
export interface PlanApprovalRequest {
  readonly sessionId: string;
  readonly goal: string;
  readonly revision: number;
  readonly steps: readonly PlanStep[];
  /** How it differs from what was left of the plan before; undefined for the first one. */
  readonly diff: PlanDiff | undefined;
  /** Copies of the steps that were carried out. */
  readonly history: readonly StepRecord[];
  readonly lastError: string | null;
  /** Ids of the results that arguments may refer to. */
  readonly resultIds: readonly number[];
}

export type PlanDecision =
  | { readonly decision: 'approve' }
  /** No step is carried out any more. */
  | { readonly decision: 'reject'; readonly reason?: string | undefined }
  /** Another plan takes its place. */
  | { readonly decision: 'edit'; readonly steps: readonly PlanStep[] };

/**
 * Asks a person about a plan. May take as long as it needs.
 *
 * @param context.signal Aborted when the answer is not wanted any more.
 */
export type ApprovePlan = (
  request: PlanApprovalRequest,
  context: { readonly signal: AbortSignal },
) => PlanDecision | Promise<PlanDecision>;

/** Schema of an answer. The steps of an edited plan are read like those of a planner. */
export const planDecisionSchema = z.discriminatedUnion('decision', [
  z.strictObject({ decision: z.literal('approve') }),
  z.strictObject({ decision: z.literal('reject'), reason: z.string().optional() }),
  z.strictObject({ decision: z.literal('edit'), steps: z.unknown() }),
]);
