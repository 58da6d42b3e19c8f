/** Mastra: the code of its code mode runs in the sandbox. */
import { Executor } from '@glovebox/core';
import { createCodeModeTransport } from '@glovebox/core/mastra';
import { Agent } from '@mastra/core/agent';
import { createCodeMode, createTool } from '@mastra/core/tools';
import { z } from 'zod';

import { scriptedModel } from './models/mastra.ts';

const getPrice = createTool({
  id: 'getPrice',
  description: 'The price of a fruit.',
  inputSchema: z.object({ fruit: z.string() }),
  outputSchema: z.number(),
  execute: async ({ fruit }) => fruit.length,
});

await using executor = new Executor();
const transport = createCodeModeTransport({ executor });
const { tool, instructions } = createCodeMode({ tools: { getPrice } }, transport);

// A scripted model, in place of a provider's model.
const model = scriptedModel('execute_typescript', {
  code: `
    const fruits: string[] = ['fig', 'pear', 'apple'];
    const prices = await Promise.all(fruits.map((fruit) => external_getPrice({ fruit })));
    return prices.reduce((sum, price) => sum + price)`,
});
const tools = { [tool.id]: tool };
const agent = new Agent({ id: 'shop', name: 'Shop', instructions, model, tools });
const { text } = await agent.generate('What do a fig, a pear and an apple cost?');
console.log(text);
