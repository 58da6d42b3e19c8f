/** LangChain: the agent writes code that calls tools. */
import { createCodeTool, Executor, ToolRegistry } from '@glovebox/core';
import { toLangChainCodeTool } from '@glovebox/core/langchain';
import { AIMessage, createAgent, fakeModel } from 'langchain';
import { z } from 'zod';

const registry = new ToolRegistry();
registry.register({
  name: 'price',
  description: 'The price of a fruit.',
  inputSchema: z.object({ fruit: z.string() }),
  execute: ({ fruit }) => fruit.length,
});

// A scripted model, in place of a provider's model: it calls the tool, then repeats its result.
const code = `
  const fruits: string[] = ['fig', 'pear', 'apple'];
  const prices = await Promise.all(fruits.map((fruit) => price({ fruit })));
  return prices.reduce((sum, price) => sum + price)`;
const model = fakeModel()
  .respondWithTools([{ name: 'run_code', args: { code } }])
  .respond((received) => new AIMessage(received.at(-1)?.text ?? ''));

await using executor = new Executor();
const codeTool = createCodeTool({ registry, executor });
const agent = createAgent({ model, tools: [toLangChainCodeTool(codeTool)] });

const question = { role: 'user', content: 'What do a fig, a pear and an apple cost?' };
const { messages } = await agent.invoke({ messages: [question] });
console.log(messages.at(-1)?.text);
