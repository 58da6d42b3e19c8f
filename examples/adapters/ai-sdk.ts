/** AI SDK: the model writes code that calls tools. */
import { createCodeTool, Executor, ToolRegistry } from '@glovebox/core';
import { toAiSdkCodeTool } from '@glovebox/core/ai-sdk';
import { generateText, isStepCount } from 'ai';
import { z } from 'zod';

import { scriptedModel } from './models/ai-sdk.ts';

const registry = new ToolRegistry();
registry.register({
  name: 'price',
  description: 'The price of a fruit.',
  inputSchema: z.object({ fruit: z.string() }),
  execute: ({ fruit }) => fruit.length,
});

// A scripted model, in place of a provider's model.
const model = scriptedModel('run_code', {
  code: `
    const fruits: string[] = ['fig', 'pear', 'apple'];
    const prices = await Promise.all(fruits.map((fruit) => price({ fruit })));
    return prices.reduce((sum, price) => sum + price)`,
});

await using executor = new Executor();
const codeTool = createCodeTool({ registry, executor });
const { text } = await generateText({
  model,
  prompt: 'What do a fig, a pear and an apple cost?',
  tools: { run_code: toAiSdkCodeTool(codeTool) },
  stopWhen: isStepCount(5),
});
console.log(text);
