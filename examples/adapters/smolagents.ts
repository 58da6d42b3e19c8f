/** An executor with the interface of the remote executors of smolagents. */
import { Executor } from '@glovebox/core';
import { RemoteExecutor } from '@glovebox/core/smolagents';

await using executor = new Executor();
await using remote = new RemoteExecutor({ executor });
await remote.sendVariables({ fruits: ['fig', 'pear', 'apple'] });
remote.sendTools({ price: (fruit: string) => fruit.length });

// Code that a model would write, step by step.
await remote.call('const prices = await Promise.all(fruits.map((fruit) => price(fruit)))');
const { output, isFinalAnswer } = await remote.call(
  'await final_answer(prices.reduce((sum, price) => sum + price))',
);
console.log(output, isFinalAnswer);
