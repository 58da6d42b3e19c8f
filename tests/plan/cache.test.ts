import type { PlanStep } from '@glovebox/core';
import { expect, test } from 'vitest';

import { counted } from '../support/dispatch.ts';
import { agentOf, eventsOf, outline, planner, step, tool } from '../support/plan.ts';

function tools() {
  const pure = counted((args: { n?: number }) => (args.n ?? 0) + 1, {
    name: 'pure',
    idempotent: true,
  });
  const effect = counted(() => 'sent', { name: 'effect' });
  return { pure, effect, all: [pure, effect] };
}

const failed = step(9, 'missing');

test('a step that is done already takes its result, and counts as none', async () => {
  const { pure, all } = tools();
  const plans: PlanStep[][] = [
    [step(1, 'pure', { n: 1 }), step(2, 'pure', { n: 2 }), step(3, 'pure', { n: 3 }), failed],
    [
      step(1, 'pure', { n: 1 }),
      step(2, 'pure', { n: 2 }),
      step(33, 'pure', { n: 3 }),
      step(4, 'pure', { sum: { $result: 33 } }),
    ],
  ];
  const result = await agentOf({ tools: all, planner: planner(...plans), maxSteps: 5 }).run('goal');
  expect(result.reason).toBe('goal_met');
  expect(pure.calls).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { sum: 4 }]);
  expect(outline(result.events).slice(-6)).toEqual([
    'step.cached 1',
    'step.cached 2',
    'step.cached 33',
    'step.start 4',
    'step.end 4 ok',
    'session.complete goal_met',
  ]);
  expect(eventsOf(result.events, 'step.cached')[2]?.payload).toMatchObject({
    stepId: 33,
    fromStepId: 3,
  });
  expect(
    result.history.slice(4).map(({ id, cached, result: value }) => [id, cached, value]),
  ).toEqual([
    [1, true, 2],
    [2, true, 3],
    [33, true, 4],
    [4, false, 1],
  ]);
});

interface Case {
  readonly what: string;
  readonly first: PlanStep;
  readonly again: PlanStep;
  readonly calls: number;
}
const cases: readonly Case[] = [
  {
    what: 'one that is not idempotent',
    first: step(1, 'effect'),
    again: step(1, 'effect'),
    calls: 2,
  },
  {
    what: 'one that is not idempotent, and opted in',
    first: step(1, 'effect'),
    again: { ...step(1, 'effect'), reuse: true },
    calls: 1,
  },
  {
    what: 'an idempotent one that opted out',
    first: step(1, 'pure'),
    again: { ...step(1, 'pure'), reuse: false },
    calls: 2,
  },
  { what: 'other arguments', first: step(1, 'pure'), again: step(1, 'pure', { n: 5 }), calls: 2 },
  {
    what: 'arguments with their keys in another order',
    first: step(1, 'pure', { n: 5, m: 6 }),
    again: step(1, 'pure', { m: 6, n: 5 }),
    calls: 1,
  },
  {
    what: 'a branch',
    first: { id: 1, gather: [step(2, 'pure')] },
    again: { id: 1, gather: [step(2, 'pure')] },
    calls: 1,
  },
];
test.each(cases)('$what: $calls calls', async ({ first, again, calls }) => {
  const { pure, effect, all } = tools();
  const given = planner([first, failed], [again]);
  const result = await agentOf({ tools: all, planner: given }).run('goal');
  expect(result.reason).toBe('goal_met');
  expect(pure.calls.length + effect.calls.length).toBe(calls);
  expect(eventsOf(result.events, 'step.cached')).toHaveLength(2 - calls);
});

test('within one plan the same step is carried out each time', async () => {
  const { pure, all } = tools();
  await agentOf({ tools: all, planner: planner([step(1, 'pure'), step(2, 'pure')]) }).run('goal');
  expect(pure.calls).toHaveLength(2);
});

test('failures are not remembered', async () => {
  let calls = 0;
  const shaky = tool(
    'shaky',
    () => {
      if (calls++ === 0) throw new Error('down');
      return 'up';
    },
    { idempotent: true },
  );
  const given = planner([step(1, 'shaky')], [step(1, 'shaky')]);
  const result = await agentOf({ tools: [shaky], planner: given }).run('goal');
  expect([result.reason, calls]).toEqual(['goal_met', 2]);
});

test('a gather whose branches are done but one needs budget for that one', async () => {
  const { pure, all } = tools();
  const branches = [step(2, 'pure', { n: 1 }), step(3, 'pure', { n: 2 })];
  const given = planner(
    [{ id: 1, gather: [...branches, step(4, 'missing')], concurrency: 1 }],
    [{ id: 1, gather: [...branches, step(4, 'pure', { n: 3 })] }],
  );
  const result = await agentOf({ tools: all, planner: given, maxSteps: 4 }).run('goal');
  expect([result.reason, pure.calls.length]).toEqual(['goal_met', 3]);
});
