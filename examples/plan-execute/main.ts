/**
 * A plan over real data, one step of which grows its memory without end. The step fails in the box,
 * the planner is told and plans around it, and the goal is met.
 */
import { Dispatcher, Executor, PlanExecuteAgent } from '@glovebox/core';
import type { PlanEvent } from '@glovebox/core';

import { goal, planner, registry } from './planner.ts';

function show(event: PlanEvent): void {
  switch (event.type) {
    case 'plan.commit':
      say(`Plan ${event.payload.revision}: ${event.payload.steps.map(({ id }) => id).join(', ')}`);
      break;
    case 'plan.diff': {
      const { removed, added, revised } = event.payload;
      say(
        `The plan changes: removed ${list(removed)}, added ${list(added)}, revised ${list(revised)}`,
      );
      break;
    }
    case 'step.end':
      say(
        `  step ${event.payload.stepId}: ${event.payload.failure?.outcomeCode ?? event.payload.outcome}`,
      );
      break;
    default:
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
// As the last step of both plans makes it.
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
