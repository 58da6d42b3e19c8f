/** OpenAI Agents: the agent writes code that calls tools. */
import { createCodeTool, Executor, ToolRegistry } from '@glovebox/core';
import { toOpenAiAgentsCodeTool } from '@glovebox/core/openai-agents';
import { Agent, Runner } from '@openai/agents';
import { z } from 'zod';

import { ScriptedModel } from './models/openai-agents.ts';

const registry = new ToolRegistry();
registry.register({
  name: 'price',
  description: 'The price of a fruit.',
  inputSchema: z.object({ fruit: z.string() }),
  execute: ({ fruit }) => fruit.length,
});

// A scripted model, in place of a provider's model.
const model = new ScriptedModel('run_code', {
  code: `
    const fruits: string[] = ['fig', 'pear', 'apple'];
    const prices = await Promise.all(fruits.map((fruit) => price({ fruit })));
    return prices.reduce((sum, price) => sum + price)`,
});

await using executor = new Executor();
const codeTool = createCodeTool({ registry, executor });
const agent = new Agent({ name: 'shop', model, tools: [toOpenAiAgentsCodeTool(codeTool)] });

const runner = new Runner({ tracingDisabled: true });
const result = await runner.run(agent, 'What do a fig, a pear and an apple cost?');
console.log(result.finalOutput);
