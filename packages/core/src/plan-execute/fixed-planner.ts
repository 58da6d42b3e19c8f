import type { PlanStep } from './plan-steps.ts';
import type { Planner } from './planner.ts';

/**
 * A planner for steps that are given, and that nobody plans anew when one of them fails.
 *
 * @param steps Read by the agent, like what any planner gives.
 */
export function fixedPlanner(steps: readonly unknown[]): Planner {
  return (_goal, _history, lastError) =>
    lastError === null
      ? (steps as readonly PlanStep[])
      : { gaveUp: `There is no planner. ${lastError}` };
}
