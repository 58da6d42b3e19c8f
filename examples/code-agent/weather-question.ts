import { Executor } from '@glovebox/core';
import { CodeAgent } from '@glovebox/core/agent';

import { readWeather } from '../main-job/weather.ts';
import { scriptedModel } from './scripted-model.ts';

// Text that a real model would write. Any model of the AI SDK can replace it.
const { model } = scriptedModel([
  `I look at the data first.

\`\`\`ts
console.log(days.length, days[0]);
\`\`\``,
  `Dates are there as Dates. I add up the rain of each month.

\`\`\`ts
const rain = new Map();
for (const { date, precipitation } of days) {
  const month = date.toISOString().slice(0, 7);
  rain.set(month, (rain.get(month) ?? 0) + precipitation);
}
const [wettest] = [...rain].sort(([, a], [, b]) => b - a);
return wettest.month;
\`\`\``,
  `It is a pair of month and rain.

\`\`\`ts
const [month, millimetres] = wettest;
await finalAnswer({ month, millimetres: Math.round(millimetres) });
\`\`\``,
]);

await using executor = new Executor();
await using agent = new CodeAgent({ model, executor, maxSteps: 10 });

const result = await agent.run('Which month had the most rain, and how much?', {
  variables: { days: readWeather() },
});
console.log(result.reason, result.answer);
console.log(agent.memory.replay());
