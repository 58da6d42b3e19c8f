import type { PlanStep } from './plan-steps.ts';
import type { Planner } from './planner.ts';

/**
 * A planner that returns the given steps, and gives up if one of them fails.
 *
 * @param steps The agent validates them, like the plan of any planner.
 */
export function fixedPlanner(steps: readonly unknown[]): Planner {
  return (_goal, _history, lastError) =>
    lastError === null
      ? (steps as readonly PlanStep[])
      : { gaveUp: `There is no planner. ${lastError}` };
}
