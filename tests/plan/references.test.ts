import type { PlanStep } from '@glovebox/core';
import { expect, test } from 'vitest';

import { counted } from '../support/dispatch.ts';
import { agentOf, outline, planner, step, tool } from '../support/plan.ts';

const when = new Date(7);
const found = {
  rows: [{ 'a/b': 1, 'm~n': 2 }],
  when,
  map: new Map([[1, 2]]),
  none: null,
  $result: 9,
};

/** Runs a step with these arguments after one that gave `found`; gives what its tool got. */
async function argsSeen(args: unknown): Promise<unknown> {
  const echo = counted(() => 'seen', { name: 'echo' });
  const tools = [tool('find', () => found), echo];
  const plan = [step(1, 'find'), step(2, 'echo', args)];
  const result = await agentOf({ tools, planner: planner(plan) }).run('goal');
  expect(result.reason).toBe('goal_met');
  return echo.calls[0];
}

const cases: readonly (readonly [what: string, args: unknown, seen: unknown])[] = [
  ['the whole', { $result: 1 }, found],
  ['a part', { when: { $result: 1, path: '/when' } }, { when }],
  ['an item', [{ $result: 1, path: '/rows/0' }, 'x'], [{ 'a/b': 1, 'm~n': 2 }, 'x']],
  ['a key with a slash', { $result: 1, path: '/rows/0/a~1b' }, 1],
  ['a key with a tilde', { $result: 1, path: '/rows/0/m~0n' }, 2],
  ['null', { deep: { er: { $result: 1, path: '/none' } } }, { deep: { er: null } }],
  ['a value that JSON lacks', { $result: 1, path: '/map' }, new Map([[1, 2]])],
  ['data that looks like a reference', { $literal: { $result: 1 } }, { $result: 1 }],
  ['data within other kinds', new Map([['a', { $result: 1 }]]), new Map([['a', { $result: 1 }]])],
  ['a result that looks like a reference', { r: { $result: 1, path: '/$result' } }, { r: 9 }],
];
test.each(cases)('%s', async (_what, args, seen) => {
  expect(await argsSeen(args)).toStrictEqual(seen);
});

test.each([
  '/nothing',
  '/rows/1',
  '/rows/length',
  '/when/getTime',
  '/map/1',
  '/constructor',
  '/__proto__',
  '/',
])('nothing is at %j: the step fails, and no call is made', async (path) => {
  const echo = counted(() => 'seen', { name: 'echo' });
  const given = planner([step(1, 'find'), step(2, 'echo', { $result: 1, path })]);
  const result = await agentOf({ tools: [tool('find', () => found), echo], planner: given }).run(
    'goal',
  );
  expect(echo.calls).toEqual([]);
  expect(result.history[1]).toMatchObject({
    failure: { kind: 'reference' },
    error: `ReferenceFault: The result of step 1 has nothing at ${path}.`,
  });
  expect(given.asked).toHaveLength(2);
});

test('a new plan may name what an earlier one has got', async () => {
  const echo = counted(() => 'seen', { name: 'echo' });
  const tools = [tool('find', () => found), echo];
  const plans: PlanStep[][] = [
    [step(1, 'find'), step(2, 'missing')],
    [step(3, 'echo', { $result: 1, path: '/rows/0/a~1b' })],
  ];
  const result = await agentOf({ tools, planner: planner(...plans) }).run('goal');
  expect([result.reason, echo.calls]).toEqual(['goal_met', [1]]);
});

test('a step that failed has no result any more', async () => {
  let n = 0;
  const once = tool('once', () => {
    if (n++ > 0) throw new Error('again');
    return 'first';
  });
  const plans: PlanStep[][] = [
    [step(1, 'once'), step(2, 'missing')],
    [step(1, 'once')],
    [step(3, 'once', { $result: 1 })],
  ];
  const result = await agentOf({ tools: [once], planner: planner(...plans) }).run('goal');
  expect(result).toMatchObject({
    reason: 'bad_plan',
    message: 'Step 3 refers to the result of step 1, which is not done before it.',
  });
});

test('a tool that changes its arguments does not change the result', async () => {
  const seen: unknown[] = [];
  const change = tool('change', (args: { n: number }) => {
    seen.push(args.n);
    return (args.n = 9);
  });
  const tools = [tool('find', () => ({ n: 1 })), change];
  const plan = [
    step(1, 'find'),
    step(2, 'change', { $result: 1 }),
    step(3, 'change', { $result: 1 }),
  ];
  await agentOf({ tools, planner: planner(plan) }).run('goal');
  expect(seen).toEqual([1, 1]);
});

test('the diff compares references by what they name', async () => {
  const plans: PlanStep[][] = [
    [step(1, 'find'), step(2, 'missing', { $result: 1 }), step(3, 'find', { $result: 2 })],
    [step(2, 'find', { $result: 1 }), step(3, 'find', { $result: 1 })],
  ];
  const tools = [tool('find', () => 1)];
  const result = await agentOf({ tools, planner: planner(...plans) }).run('goal');
  expect(result.revisions).toMatchObject([{ removed: [], added: [], revised: [2, 3] }]);
  expect(outline(result.events).at(-1)).toBe('session.complete goal_met');
});
