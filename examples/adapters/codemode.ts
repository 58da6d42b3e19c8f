/** Cloudflare's codemode on Node: the code tool runs in the sandbox. */
import { createBrowserCodeTool } from '@cloudflare/codemode/browser';
import { Dispatcher, Executor, ToolRegistry } from '@glovebox/core';
import { createCodemodeExecutor, toCodemodeTools } from '@glovebox/core/codemode';
import { z } from 'zod';

const registry = new ToolRegistry();
registry.register({
  name: 'price',
  description: 'The price of a fruit.',
  inputSchema: z.object({ fruit: z.string() }),
  execute: ({ fruit }) => fruit.length,
});

await using executor = new Executor();
const tool = createBrowserCodeTool({
  tools: toCodemodeTools(new Dispatcher({ registry })),
  executor: createCodemodeExecutor({ executor }),
});

// Code that a model would write for the tool.
const code = `async () => {
  const fruits = ['fig', 'pear', 'apple'];
  const prices = await Promise.all(fruits.map((fruit) => codemode.price({ fruit })));
  return prices.reduce((sum, price) => sum + price);
}`;
console.log(await tool.execute({ code }));
