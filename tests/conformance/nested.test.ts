import { Dispatcher, ToolRegistry } from '@glovebox/core';
import type { Executor, Outcome } from '@glovebox/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createExecutor, EVERY_POOL } from '../support/pools.ts';

/** Tools of one executor that run code in it, each naming the next one. */
function tower(executor: Executor, levels: number): (input: number) => Promise<unknown> {
  return async (input) => {
    const code = levels === 0 ? 'return input * 2' : 'return await deeper(input + 1)';
    const tools = levels === 0 ? {} : { deeper: tower(executor, levels - 1) };
    const outcome = await executor.run({ code, variables: { input }, tools });
    if (!outcome.ok) throw new Error(outcome.error.message);
    return outcome.value;
  };
}

describe.each(EVERY_POOL)('runs within runs (%s pool)', (pool) => {
  let executor: Executor;
  beforeAll(async () => {
    executor = await createExecutor(pool, { hosts: 1, limits: { wallMs: 25_000 } });
  });
  afterAll(() => executor.close());

  test('never wait for the slots that they themselves hold, on one host', async () => {
    expect(await tower(executor, 3)(1)).toBe(8);
  });

  test('nor for each other, when more of them run than there are hosts', async () => {
    await using two = await createExecutor(pool, { hosts: 2, limits: { wallMs: 25_000 } });
    const results = await Promise.all([1, 2, 3, 4, 5].map((n) => tower(two, 1)(n)));
    expect(results).toEqual([4, 6, 8, 10, 12]);
  });

  test('also from a tool that is source, and uses one', async () => {
    const registry = new ToolRegistry();
    registry.register({ name: 'double', source: 'return args * 2' });
    registry.register({
      name: 'twice',
      source: 'return await double(await double(args))',
      uses: ['double'],
    });
    const dispatcher = new Dispatcher({ registry, executor });
    const results = await Promise.all(
      [1, 2, 3].map((args) => dispatcher.dispatch({ tool: 'twice', args })),
    );
    expect(results.map((result) => result.ok && result.value)).toEqual([4, 8, 12]);
  });

  test('in a session take no slot of the pool but their own', async () => {
    await using session = await executor.openSession({ tools: { tool: tower(executor, 1) } });
    expect(await session.run({ code: 'return await tool(5)' })).toMatchObject({
      ok: true,
      value: 12,
    });
  });

  // The last one: it closes the executor of all.
  test('end with the executor', async () => {
    let inner: Promise<Outcome> | undefined;
    const begun = Promise.withResolvers<void>();
    const outer = executor.run({
      code: 'await tool()',
      tools: {
        tool: async () => {
          inner = executor.run({
            code: 'await hold()',
            tools: { hold: () => (begun.resolve(), new Promise(() => undefined)) },
          });
          await inner;
        },
      },
    });
    await begun.promise;
    await executor.close();
    for (const outcome of [await outer, await inner]) {
      expect(outcome).toMatchObject({ ok: false, error: { code: 'ABORTED' } });
    }
  });
});
