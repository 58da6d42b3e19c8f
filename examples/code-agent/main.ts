// A person reviews the plan of an agent. Usage: node main.ts approve|modify|cancel
import { Executor } from '@glovebox/core';
import { CodeAgent } from '@glovebox/core/agent';
import type { PlanningStep, StepContext } from '@glovebox/core/agent';

import { scriptedModel } from './scripted-model.ts';

const choice = process.argv[2] ?? 'approve';

// Text that a real model would write. Any model of the AI SDK can replace it.
const plan = '# 2. Plan\n1. Look the articles up.\n2. Sum them up.\n<end_plan>';
const followPlan = (prompt: string): string => `I follow the plan.

\`\`\`ts
const articles = await search({ about: "V8" });
await finalAnswer(${prompt.includes('oldest first') ? 'articles.toReversed()' : 'articles'});
\`\`\``;
const { model } = scriptedModel([plan, choice === 'cancel' ? plan : followPlan, followPlan]);

const searches: unknown[] = [];
const search = {
  name: 'search',
  description: 'Finds articles, the newest first.',
  execute: (query: unknown) => {
    searches.push(query);
    return ['Maglev', 'Sparkplug'];
  },
};

let cancels = choice === 'cancel';

/** Decides about the plan, in place of a person at a terminal. */
function review(step: PlanningStep, { interrupt }: StepContext): void {
  console.log(step.plan);
  if (choice === 'modify') step.plan += '\n3. Give the oldest first.';
  if (cancels) interrupt('Not now.');
}

await using executor = new Executor();
await using agent = new CodeAgent({
  model,
  executor,
  tools: [search],
  planningInterval: 5,
  stepCallbacks: { planning: review },
});

let result = await agent.run('Which articles are there about V8?');
if (result.reason === 'interrupted') {
  console.log(`Stopped: ${result.message} Searches: ${searches.length}.`);
  cancels = false;
  result = await agent.run('Go on.', { reset: false });
}
console.log(result.answer);
