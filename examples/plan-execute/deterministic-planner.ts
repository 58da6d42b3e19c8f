import type { Planner, PlanStep } from '@glovebox/core';

export interface DeterministicPlannerOptions {
  /** Id of the step in the first plan whose tool must fail. */
  readonly failingStep?: number;
  /** How the planner reacts to a failure; `route_around` by default. */
  readonly recovery?: 'route_around' | 'give_up' | 'none';
}

/**
 * A planner without a model: fetch, transform, render, submit. After a failure of `transform`, its
 * plan transforms in another mode and continues from there. After other failures, it returns steps
 * that report the failure (`give_up`) or an empty plan.
 */
export function deterministicPlanner(options: DeterministicPlannerOptions = {}): Planner {
  const { failingStep, recovery = 'route_around' } = options;
  return (_goal, _history, lastError) => {
    if (lastError === null)
      return FIRST.map((step) => (step.id === failingStep ? failing(step) : step));
    if (recovery === 'route_around' && lastError.includes('transform')) return OTHER_MODE;
    return recovery === 'give_up' ? reportFailure(lastError) : [];
  };
}

const step = (id: number, toolName: string, args: object, expectedOutcome: string): PlanStep => ({
  id,
  toolName,
  args,
  expectedOutcome,
});

const RENDER = step(3, 'render', {}, 'the page is rendered');
const SUBMIT = step(4, 'submit', {}, 'the page is with the backend');

const FIRST = [
  step(1, 'fetch', { key: 'input' }, 'the input is there'),
  step(2, 'transform', { mode: 'v1' }, 'the input is in the first format'),
  RENDER,
  SUBMIT,
];

const OTHER_MODE = [
  step(2, 'transform', { mode: 'v2' }, 'the input is in the other format'),
  RENDER,
  SUBMIT,
];

function failing(planned: PlanStep): PlanStep {
  return 'args' in planned
    ? { ...planned, args: { ...(planned.args as object), fail: true } }
    : planned;
}

function reportFailure(why: string): PlanStep[] {
  return [
    step(98, 'log_failure', { why }, 'the failure is logged'),
    step(99, 'notify_user', {}, 'the user knows'),
  ];
}
