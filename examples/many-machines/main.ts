/** Runs code on the workers that `start.ts` has started; the tools run in this process. */
import { Executor } from '@glovebox/core';
import { nats } from '@glovebox/core/nats';

const servers = process.env['NATS_URL'] ?? 'nats://127.0.0.1:4222';
await using executor = new Executor({ pool: nats({ servers }) });
await executor.ready();

const PRICES = new Map([
  ['tea', 4],
  ['cake', 6],
]);
const baskets = [['tea'], ['tea', 'cake'], ['cake', 'cake', 'tea']];
const outcomes = await Promise.all(
  baskets.map((basket) =>
    executor.run({
      code: `
        const prices = await Promise.all(basket.map((name) => priceOf(name)));
        return prices.reduce((sum, price) => sum + price, 0)`,
      variables: { basket },
      tools: { priceOf: (name: string) => PRICES.get(name) },
    }),
  ),
);
for (const outcome of outcomes) {
  const result = outcome.ok ? String(outcome.value) : outcome.error.message;
  process.stdout.write(`${result} (ran on ${outcome.usage.hostId})\n`);
}
