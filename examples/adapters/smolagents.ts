/** An executor of the shape that smolagents gives its remote ones. */
import { Executor } from '@glovebox/core';
import { RemoteExecutor } from '@glovebox/core/smolagents';

await using executor = new Executor();
await using box = new RemoteExecutor({ executor });
await box.sendVariables({ fruits: ['fig', 'pear', 'apple'] });
box.sendTools({ price: (fruit: string) => fruit.length });

// What a model writes, step by step.
await box.call('const prices = await Promise.all(fruits.map((fruit) => price(fruit)))');
const { output, isFinalAnswer } = await box.call(
  'await final_answer(prices.reduce((sum, price) => sum + price))',
);
console.log(output, isFinalAnswer);
