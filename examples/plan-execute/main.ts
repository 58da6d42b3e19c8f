/**
 * A plan over real data. One step uses more and more memory and fails in the sandbox. The planner
 * gets the error and makes a plan without this step's code, and the goal is met.
 */
import { Dispatcher, Executor, PlanExecuteAgent } from '@glovebox/core';
import type { PlanEvent } from '@glovebox/core';

import { goal, planner, registry } from './planner.ts';

function show({ type, payload }: PlanEvent): void {
  if (type === 'plan.commit') {
    say(`Plan ${payload.revision}: ${list(payload.steps.map(({ id }) => id))}`);
  } else if (type === 'plan.diff') {
    const { removed, added, revised } = payload;
    say(
      `The plan changes: removed ${list(removed)}, added ${list(added)}, revised ${list(revised)}`,
    );
  } else if (type === 'step.end') {
    say(`  step ${payload.stepId}: ${payload.failure?.outcomeCode ?? payload.outcome}`);
  }
}

const list = (ids: readonly number[]): string => (ids.length === 0 ? 'none' : ids.join(', '));

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await using executor = new Executor();
const agent = new PlanExecuteAgent({ planner, dispatcher: new Dispatcher({ registry, executor }) });

say(goal);
const result = await agent.run(goal, { onEvent: show });
// The type of the result of the last step in both plans.
const answer = result.history.at(-1)?.result as {
  readonly kepler: boolean;
  readonly offBy: number;
  readonly heaviest: string;
  readonly floats: readonly string[];
};
say(
  `${result.reason}: Kepler's law ${answer.kepler ? 'holds' : 'does not hold'} to ` +
    `${(answer.offBy * 100).toFixed(1)} %; ${answer.heaviest} is the heaviest; ` +
    `${answer.floats.join(', ')} would float.`,
);
