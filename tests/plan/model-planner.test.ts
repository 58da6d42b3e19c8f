import { Dispatcher, PlanExecuteAgent, ToolRegistry } from '@glovebox/core';
import { modelPlanner } from '@glovebox/core/ai-sdk';
import type { ModelPlannerOptions } from '@glovebox/core/ai-sdk';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { eventsOf } from '../support/plan.ts';

const registry = new ToolRegistry();
registry.register({
  name: 'orders.list',
  description: 'The orders of a customer.',
  inputSchema: z.object({ customer: z.int() }),
  execute: ({ customer }: { customer: number }) => ({ rows: [{ id: customer * 100 }] }),
});
registry.register({ name: 'sum', execute: (args: { ids: number[] }) => args.ids.length });
registry.register({
  name: 'broken',
  execute: () => {
    throw new Error('the backend is down');
  },
});

/** A step, or a branch, as a model gives it. */
const singleModelStep = (id: number, more: object): object => ({
  id,
  expectedOutcome: 'done',
  toolName: null,
  args: null,
  code: null,
  uses: null,
  ...more,
});
const modelStep = (id: number, more: object): object =>
  singleModelStep(id, { branches: null, policy: null, ...more });

const planOf = (...steps: object[]): string => JSON.stringify({ gaveUp: null, steps });

/** A model that says these texts, one a call. */
function modelThatSays(...texts: string[]): MockLanguageModelV4 {
  let calls = 0;
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const text = texts[calls++];
      if (text === undefined) throw new Error('asked too often');
      return {
        content: [{ type: 'text', text }],
        finishReason: { unified: 'stop', raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: 1, text: 1, reasoning: undefined },
        },
        warnings: [],
      };
    },
  });
}

function agentOn(
  model: MockLanguageModelV4,
  options: Partial<ModelPlannerOptions> = {},
): PlanExecuteAgent {
  const planner = modelPlanner(model, { registry, settings: { maxRetries: 0 }, ...options });
  return new PlanExecuteAgent({ planner, dispatcher: new Dispatcher({ registry }) });
}

/** What the model was told at a call: its system prompt, and what came after it. */
function toldAt(model: MockLanguageModelV4, call: number): { system: string; rest: string } {
  const [system, ...rest] = model.doGenerateCalls[call]?.prompt ?? [];
  return { system: JSON.stringify(system?.content), rest: JSON.stringify(rest) };
}

test('a model plans, sees what failed, and plans anew', async () => {
  const model = modelThatSays(
    planOf(
      modelStep(1, {
        branches: [
          singleModelStep(11, { toolName: 'orders.list', args: '{"customer":7}' }),
          singleModelStep(12, { toolName: 'orders.list', args: '{"customer":8}' }),
        ],
        policy: 'all',
      }),
      modelStep(2, { toolName: 'broken' }),
    ),
    planOf(
      modelStep(3, {
        toolName: 'sum',
        args: '{"ids":[{"$result":11,"path":"/rows/0/id"},{"$result":1,"path":"/1/rows/0/id"}]}',
      }),
    ),
  );
  const result = await agentOn(model, { instructions: 'Be brief.' }).run('count the orders');
  expect(result.reason).toBe('goal_met');
  expect(result.history.map(({ id, result: value }) => [id, value])).toEqual([
    [11, { rows: [{ id: 700 }] }],
    [12, { rows: [{ id: 800 }] }],
    [2, undefined],
    [3, 2],
  ]);
  expect(eventsOf(result.events, 'plan.commit')[0]?.payload.steps[0]).toEqual({
    id: 1,
    expectedOutcome: 'done',
    gather: [
      { id: 11, expectedOutcome: 'done', toolName: 'orders.list', args: { customer: 7 } },
      { id: 12, expectedOutcome: 'done', toolName: 'orders.list', args: { customer: 8 } },
    ],
    policy: 'all',
  });

  const { system, rest } = toldAt(model, 0);
  expect(system).toContain('The orders of a customer.');
  expect(system).toContain('list(args: {');
  expect(system).toContain('Be brief.');
  expect(rest).toContain('Goal: count the orders');
  expect(rest).toContain('At most 12 more steps');
  expect(rest).not.toContain('History');
  const again = toldAt(model, 1);
  expect(again.rest).toContain(String.raw`{\"id\":700}`);
  expect(again.rest).toContain('The last step failed: Error: the backend is down');
  expect(again.rest).toContain('At most 9 more steps');
  expect(model.doGenerateCalls[0]?.responseFormat).toMatchObject({
    type: 'json',
    schema: { type: 'object', required: ['gaveUp', 'steps'] },
  });
});

describe('what is no plan', () => {
  const good = planOf(modelStep(1, { toolName: 'sum', args: '{"ids":[]}' }));
  test.each<[what: string, text: string, told: RegExp]>([
    ['no JSON', 'I would first list the orders.', /That plan is not valid: /],
    ['another shape', '{"plan":[]}', /That plan is not valid: /],
    [
      'a tool that is none',
      planOf(modelStep(1, { toolName: 'fetch' })),
      /calls \\+"fetch\\+", which is not a tool/,
    ],
    [
      'arguments that are no JSON',
      planOf(modelStep(1, { toolName: 'sum', args: 'ids' })),
      /arguments of step 1 are not JSON text/,
    ],
    [
      'ids twice',
      planOf(modelStep(1, { toolName: 'sum' }), modelStep(1, { toolName: 'sum' })),
      /Two steps have the id 1/,
    ],
    [
      'a reference to nothing',
      planOf(modelStep(1, { toolName: 'sum', args: '{"$result":9}' })),
      /result of step 9/,
    ],
    ['a step that is nothing', planOf(modelStep(1, {})), /toolName/],
  ])('%s: the model is told, and asked again', async (_what, text, told) => {
    const model = modelThatSays(text, good);
    const result = await agentOn(model).run('goal');
    expect(result.reason).toBe('goal_met');
    expect(toldAt(model, 1).rest).toMatch(told);
    // It sees what it said.
    expect(model.doGenerateCalls[1]?.prompt.at(-2)?.role).toBe('assistant');
  });

  test('again and again: planner_error', async () => {
    const model = modelThatSays('no', 'no', 'no');
    const result = await agentOn(model, { maxAttempts: 2 }).run('goal');
    expect(result.reason).toBe('planner_error');
    expect(result.message).toMatch(/The model gave no valid plan in 2 attempts: /);
    expect(model.doGenerateCalls).toHaveLength(2);
  });

  test('code where none is possible', async () => {
    const model = modelThatSays(planOf(modelStep(1, { code: 'return 1' })), good);
    const result = await agentOn(model, { allowCode: false }).run('goal');
    expect(result.reason).toBe('goal_met');
    expect(toldAt(model, 0).system).toContain('code is not allowed');
    expect(toldAt(model, 1).rest).toContain('Step 1 is code');
  });
});

test('code is planned with the tools that it uses', async () => {
  const code = { code: 'return 1', args: '{"n":1}', uses: ['sum'] };
  const model = modelThatSays(planOf(modelStep(1, code)), planOf());
  const result = await agentOn(model).run('goal');
  expect(result.history[0]).toMatchObject({ code: 'return 1', args: { n: 1 }, uses: ['sum'] });
});

test('a model may give up', async () => {
  const model = modelThatSays(JSON.stringify({ gaveUp: 'there is no such order', steps: [] }));
  const result = await agentOn(model).run('goal');
  expect(result).toMatchObject({ reason: 'gave_up', message: 'there is no such order' });
});

test('a model that fails ends the session, which can be resumed', async () => {
  const result = await agentOn(modelThatSays()).run('goal');
  expect(result).toMatchObject({ reason: 'planner_error', resumable: true });
  expect(result.message).toContain('asked too often');
});

test('an abort reaches the model', async () => {
  const controller = new AbortController();
  const model = new MockLanguageModelV4({
    doGenerate: ({ abortSignal }) =>
      new Promise((_resolve, reject) => {
        abortSignal?.addEventListener('abort', () => reject(new Error('stopped')));
        controller.abort();
      }),
  });
  const result = await agentOn(model).run('goal', { signal: controller.signal });
  expect(result.reason).toBe('aborted');
});

test('long results are shortened', async () => {
  const long = new ToolRegistry();
  long.register({ name: 'long', execute: () => 'x'.repeat(5_000) });
  long.register({
    name: 'broken',
    execute: () => {
      throw new Error('no');
    },
  });
  const model = modelThatSays(
    planOf(modelStep(1, { toolName: 'long' }), modelStep(2, { toolName: 'broken' })),
    planOf(),
  );
  const planner = modelPlanner(model, { registry: long, maxResultLength: 100 });
  await new PlanExecuteAgent({ planner, dispatcher: new Dispatcher({ registry: long }) }).run(
    'goal',
  );
  const { rest } = toldAt(model, 1);
  expect(rest).toContain('(5002 characters; a reference gives the whole result)');
  expect(rest.length).toBeLessThan(1_500);
});

test('bad options', () => {
  expect(() => modelPlanner(modelThatSays(), { registry: {} } as never)).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS', path: 'registry' }),
  );
});
