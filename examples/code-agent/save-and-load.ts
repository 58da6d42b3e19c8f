import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Executor } from '@glovebox/core';
import { CodeAgent, loadAgent } from '@glovebox/core/agent';

import { scriptedModel } from './scripted-model.ts';

const { model } = scriptedModel([
  `\`\`\`ts
const { score } = await rate({ stars: [5, 4, 5] });
await finalAnswer(await store({ score }));
\`\`\``,
]);
const folder = await mkdtemp(path.join(tmpdir(), 'agent-'));

await using executor = new Executor();

// The source code of a tool is saved in the folder; a function of the host is not.
const rate = {
  name: 'rate',
  description: 'The mean of stars.',
  source: 'return { score: stars.reduce((sum, n) => sum + n) / stars.length }',
};
const store = {
  name: 'store',
  description: 'Keeps a score.',
  execute: ({ score }: { score: number }) => `kept ${score.toFixed(2)}`,
};

await using agent = new CodeAgent({ model, executor, tools: [rate, store], name: 'rater' });
const { omitted } = await agent.save(folder);
console.log((await readdir(folder)).join(' '), omitted);

await using loaded = await loadAgent(folder, {
  executor,
  models: { 'examples/scripted': model },
  tools: [store],
});
const result = await loaded.run('Rate it, and keep the score.');
console.log(result.answer);
