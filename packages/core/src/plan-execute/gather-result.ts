import type { GatherStep } from './plan-steps.ts';
import type { StepEnd } from './step-records.ts';

/** The result of a successful gather, by its policy; branches are in the order of the plan. */
export function gatherResult(
  { gather, policy = 'all' }: GatherStep,
  ends: ReadonlyMap<number, StepEnd>,
  winner: number | undefined,
): unknown {
  switch (policy) {
    case 'all':
      return gather.map(({ id }) => ends.get(id)?.result);
    case 'settled':
      return gather.map(({ id }) => {
        const end = ends.get(id);
        return end?.error === undefined
          ? { status: 'fulfilled', value: end?.result }
          : { status: 'rejected', reason: end.failure };
      });
    case 'race':
      return winner === undefined ? undefined : ends.get(winner)?.result;
  }
}

/** Whether the ended branches already decide the result of a gather. */
export function isDecided(step: GatherStep, ends: ReadonlyMap<number, StepEnd>): boolean {
  for (const end of ends.values()) if (decides(step, end)) return true;
  return false;
}

/** Whether a branch that ended like this decides the result of a gather. */
export function decides({ policy = 'all' }: GatherStep, { error }: StepEnd): boolean {
  return policy === 'all' ? error !== undefined : policy === 'race' && error === undefined;
}
