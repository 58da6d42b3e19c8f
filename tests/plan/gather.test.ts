import { setTimeout as delay } from 'node:timers/promises';

import type { GatherStep, SingleStep, ToolContext } from '@glovebox/core';
import { describe, expect, test } from 'vitest';

import { agentOf, eventsOf, outline, planner, step, tool } from '../support/plan.ts';

const gather = (
  id: number,
  branches: SingleStep[],
  more: Partial<GatherStep> = {},
): GatherStep => ({
  id,
  gather: branches,
  ...more,
});

/** Waits as long as it is told, then gives `value`, or fails with it; counts who is at work. */
function workers() {
  const seen = { running: 0, most: 0, began: [] as unknown[], stopped: [] as unknown[] };
  const work = tool(
    'work',
    async (
      { ms = 1, value, fail = false }: { ms?: number; value?: unknown; fail?: boolean },
      { signal }: ToolContext,
    ) => {
      seen.began.push(value);
      seen.most = Math.max(seen.most, ++seen.running);
      try {
        await delay(ms, undefined, { signal });
      } catch (error) {
        seen.stopped.push(value);
        throw error;
      } finally {
        seen.running--;
      }
      if (fail) throw new Error(String(value));
      return value;
    },
  );
  return { work, seen };
}

const work = (
  id: number,
  args: { ms?: number; value?: unknown; fail?: boolean } = {},
): SingleStep => step(id, 'work', { value: `r${id}`, ...args });

test('branches run at once; results and history are in the order of the plan', async () => {
  const { work: worker, seen } = workers();
  const plan = [
    gather(10, [work(1, { ms: 60 }), work(2, { ms: 30 }), work(3, { ms: 1 })]),
    step(4, 'echo', { all: { $result: 10 }, second: { $result: 2 } }),
  ];
  const tools = [worker, tool('echo', (args: unknown) => args)];
  const result = await agentOf({ tools, planner: planner(plan) }).run('goal');
  expect(seen.most).toBe(3);
  expect(outline(result.events)).toEqual([
    'plan.commit 0',
    'gather.start 10',
    'step.start 1',
    'step.start 2',
    'step.start 3',
    'step.end 3 ok',
    'step.end 2 ok',
    'step.end 1 ok',
    'gather.end 10 ok',
    'step.start 4',
    'step.end 4 ok',
    'session.complete goal_met',
  ]);
  expect(result.history.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  expect(result.history[3]?.result).toEqual({ all: ['r1', 'r2', 'r3'], second: 'r2' });
});

test.each([
  ['the agent has it', { concurrency: 3 }, {}, 3],
  ['the step has it', { concurrency: 3 }, { concurrency: 2 }, 2],
])('no more branches at once than %s', async (_what, options, more, most) => {
  const { work: worker, seen } = workers();
  const branches = Array.from({ length: 10 }, (_, index) => work(index + 1, { ms: 5 }));
  const result = await agentOf({
    tools: [worker],
    planner: planner([gather(50, branches, more)]),
    ...options,
  }).run('goal');
  expect(seen.most).toBe(most);
  expect(result.history.map((record) => record.result)).toEqual(branches.map(({ id }) => `r${id}`));
});

describe('policies', () => {
  test('all: the first failure stops the others, and the failed branches alone are planned anew', async () => {
    const { work: worker, seen } = workers();
    const later = work(5);
    const given = planner(
      [gather(10, [work(1), work(2, { ms: 20, fail: true }), work(3, { ms: 5_000 })]), later],
      [work(2), later],
    );
    const result = await agentOf({ tools: [worker], planner: given }).run('goal');
    expect(result.reason).toBe('goal_met');
    expect(seen.stopped).toEqual(['r3']);
    expect(given.asked[1]?.lastError).toBe('Step 2: Error: r2');
    expect(
      given.asked[1]?.history.map(({ id, error, failure }) => [id, error, failure?.kind]),
    ).toEqual([
      [1, null, undefined],
      [2, 'Error: r2', 'internal'],
      [3, expect.stringMatching(/^Cancelled: /), 'cancelled'],
    ]);
    // Branch 1 is done: it is neither removed nor there any more.
    expect(result.revisions).toMatchObject([{ removed: [3, 10], added: [], revised: [2] }]);
  });

  test('all: branches that were not begun are not begun any more', async () => {
    const { work: worker, seen } = workers();
    const branches = [work(1, { fail: true }), work(2), work(3), work(4)];
    const plan = [gather(10, branches, { concurrency: 1 })];
    const result = await agentOf({ tools: [worker], planner: planner(plan) }).run('goal');
    expect(seen.began).toEqual(['r1']);
    expect(result.history.map(({ id }) => id)).toEqual([1]);
    expect(eventsOf(result.events, 'step.start')).toHaveLength(1);
  });

  test('settled: all end, and none fails the step', async () => {
    const { work: worker } = workers();
    const plan = [
      gather(10, [work(1, { fail: true }), work(2)], { policy: 'settled' }),
      step(3, 'echo', { $result: 10 }),
    ];
    const tools = [worker, tool('echo', (args: unknown) => args)];
    const given = planner(plan);
    const result = await agentOf({ tools, planner: given }).run('goal');
    expect(result.reason).toBe('goal_met');
    expect(given.asked).toHaveLength(1);
    expect(result.history[2]?.result).toEqual([
      { status: 'rejected', reason: { kind: 'internal', name: 'Error', message: 'r1' } },
      { status: 'fulfilled', value: 'r2' },
    ]);
  });

  test('race: the first that goes well is the result, and stops the others', async () => {
    const { work: worker, seen } = workers();
    const branches = [work(1, { ms: 5_000 }), work(2, { fail: true }), work(3, { ms: 20 })];
    const plan = [gather(10, branches, { policy: 'race' }), step(4, 'echo', { $result: 10 })];
    const tools = [worker, tool('echo', (args: unknown) => args)];
    const result = await agentOf({ tools, planner: planner(plan) }).run('goal');
    expect(result.history.at(-1)?.result).toBe('r3');
    expect(seen.stopped).toEqual(['r1']);
    expect(eventsOf(result.events, 'gather.end')[0]?.payload).toEqual({
      stepId: 10,
      outcome: 'ok',
      winner: 3,
    });
  });

  test('race: it fails when all fail', async () => {
    const { work: worker } = workers();
    const branches = [work(1, { fail: true }), work(2, { fail: true })];
    const given = planner([gather(10, branches, { policy: 'race' })], [work(3)]);
    const result = await agentOf({ tools: [worker], planner: given }).run('goal');
    expect(given.asked[1]?.lastError).toBe('Step 1: Error: r1; Step 2: Error: r2');
    expect(result.revisions).toMatchObject([{ removed: [1, 2, 10], added: [3] }]);
  });
});

describe('budgets', () => {
  test.each([
    [3, 'goal_met', 3],
    [2, 'step_budget', 0],
  ])('a gather of three with a budget of %i: %s', async (maxSteps, reason, calls) => {
    const { work: worker, seen } = workers();
    const plan = [gather(10, [work(1), work(2), work(3)])];
    const agent = agentOf({ tools: [worker], planner: planner(plan), maxSteps });
    const result = await agent.run('goal');
    expect([result.reason, seen.began.length]).toEqual([reason, calls]);
    expect(result.history).toHaveLength(calls);
  });
});

test('a reference that names nothing fails its branch alone', async () => {
  const { work: worker } = workers();
  const plan = [
    work(1),
    gather(10, [work(2), step(3, 'work', { $result: 1, path: '/none' })], { policy: 'settled' }),
  ];
  const result = await agentOf({ tools: [worker], planner: planner(plan) }).run('goal');
  expect(result.history.map(({ id, failure }) => [id, failure?.kind])).toEqual([
    [1, undefined],
    [2, undefined],
    [3, 'reference'],
  ]);
});
