import { isGather } from './plan-steps.ts';
import type { PlanStep } from './plan-steps.ts';
import { plannedSignatureOf } from './signature.ts';

/** Who made a plan. */
export type PlanSource = 'planner' | 'person';

/**
 * The difference between a plan and the remaining steps of the plan before it. A gather and each of
 * its branches are compared separately.
 */
export interface PlanDiff {
  readonly revision: number;
  readonly source: PlanSource;
  /** Ids that only the old plan has, ascending. */
  readonly removed: readonly number[];
  /** Ids that only the new plan has, ascending. */
  readonly added: readonly number[];
  /** Ids in both plans whose tool, code or arguments differ, in the order of the new plan. */
  readonly revised: readonly number[];
  /** Ids in both plans whose relative order differs, in the order of the new plan. */
  readonly moved: readonly number[];
  /** Ids in both plans whose expected outcome differs, in the order of the new plan. */
  readonly outcomeChanged: readonly number[];
}

/**
 * Compares two plans.
 *
 * @param before The steps that are not done, including the failed step.
 */
export function diffPlans(
  before: readonly PlanStep[],
  after: readonly PlanStep[],
): Omit<PlanDiff, 'revision' | 'source'> {
  const old = byId(before);
  const next = byId(after);
  const oldCommon = [...old.keys()].filter((id) => next.has(id));
  const common = [...next.keys()].filter((id) => old.has(id));
  const differing = (read: (step: PlanStep) => string | undefined): number[] =>
    common.filter((id) => {
      const [a, b] = [old.get(id), next.get(id)];
      return a !== undefined && b !== undefined && read(a) !== read(b);
    });
  return {
    removed: ascending([...old.keys()].filter((id) => !next.has(id))),
    added: ascending([...next.keys()].filter((id) => !old.has(id))),
    revised: differing(plannedSignatureOf),
    moved: common.filter((id, place) => oldCommon[place] !== id),
    outcomeChanged: differing((step) => step.expectedOutcome),
  };
}

function ascending(ids: readonly number[]): number[] {
  return ids.toSorted((a, b) => a - b);
}

function byId(plan: readonly PlanStep[]): Map<number, PlanStep> {
  const steps = plan.flatMap((step) => (isGather(step) ? [step, ...step.gather] : [step]));
  return new Map(steps.map((step) => [step.id, step]));
}
