/** TanStack AI: the code of its code mode runs in the sandbox. */
import { Executor } from '@glovebox/core';
import { createIsolateDriver } from '@glovebox/core/tanstack';
import { chat, toolDefinition } from '@tanstack/ai';
import { createCodeMode } from '@tanstack/ai-code-mode';
import { z } from 'zod';

import { ScriptedModel } from './models/tanstack.ts';

const getPrice = toolDefinition({
  name: 'getPrice',
  description: 'The price of a fruit.',
  inputSchema: z.object({ fruit: z.string() }),
  outputSchema: z.number(),
}).server(async ({ fruit }) => fruit.length);

await using executor = new Executor();
const driver = createIsolateDriver({ executor });
const { tools, systemPrompt } = createCodeMode({ driver, tools: [getPrice] });

// A scripted model, in place of a provider's model.
const adapter = new ScriptedModel('execute_typescript', {
  typescriptCode: `
    const fruits: string[] = ['fig', 'pear', 'apple'];
    const prices = await Promise.all(fruits.map((fruit) => external_getPrice({ fruit })));
    return prices.reduce((sum, price) => sum + price)`,
});
const messages = [{ role: 'user' as const, content: 'What do a fig, a pear and an apple cost?' }];
const systemPrompts = [systemPrompt];
console.log(await chat({ adapter, messages, tools, systemPrompts, stream: false }));
