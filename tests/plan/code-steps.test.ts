import { Executor } from '@glovebox/core';
import type { CodeStep, PlanStep } from '@glovebox/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

import { counted } from '../support/dispatch.ts';
import { agentOf, eventsOf, planner, step, tool } from '../support/plan.ts';

let executor: Executor;
beforeAll(async () => {
  executor = new Executor({ hosts: 1 });
  await executor.ready();
});
afterAll(() => executor.close());

const code = (id: number, text: string, more: Partial<CodeStep> = {}): CodeStep => ({
  id,
  code: text,
  ...more,
});

test('code gets its arguments as variables, earlier results among them', async () => {
  const tools = [tool('rows', () => [{ at: new Date(5) }, { at: new Date(9) }])];
  const plan: PlanStep[] = [
    step(1, 'rows'),
    code(2, 'return rows.filter(({ at }) => at > since).length + args.more', {
      args: { rows: { $result: 1 }, since: new Date(7), more: 10 },
    }),
  ];
  const result = await agentOf({ tools, executor, planner: planner(plan) }).run('goal');
  expect(result.history[1]).toMatchObject({ toolName: 'plan.code', result: 11, error: null });
  expect(eventsOf(result.events, 'step.start')[1]?.payload.toolName).toBe('plan.code');
});

test('code calls the tools that it names, through the dispatcher', async () => {
  const total = counted(({ id }: { id: number }) => id * 2, {
    name: 'orders.total',
    inputSchema: z.object({ id: z.number() }),
  });
  const plan = [
    code(1, 'return await orders.total({ id: 21 })', { uses: ['orders.total'] }),
    code(2, 'try { return await orders.total({ id: "x" }) } catch (error) { return error.code }', {
      uses: ['orders.total'],
    }),
    code(3, 'return typeof orders'),
  ];
  const result = await agentOf({ tools: [total], executor, planner: planner(plan) }).run('goal');
  expect(result.history.map((record) => record.result)).toEqual([42, 'schema', 'undefined']);
  expect(total.calls).toEqual([{ id: 21 }]);
});

test.each([
  ['throws', code(1, 'throw new RangeError("too much")'), 'RangeError: too much', 'GUEST_ERROR'],
  ['does not compile', code(1, 'let 1'), /^internal: plan\.code: /, 'SYNTAX_ERROR'],
  [
    'grows without end',
    code(1, 'const all = []; for (;;) all.push([1])', { limits: { memoryMb: 16 } }),
    /^internal: plan\.code: /,
    'MEMORY_LIMIT',
  ],
  ['never ends', code(1, 'for (;;);', { limits: { wallMs: 200 } }), /^timeout: /, 'WALL_LIMIT'],
])('code that %s fails its step', async (_what, hostile, error, outcomeCode) => {
  const given = planner([hostile], [code(2, 'return "another way"')]);
  const result = await agentOf({ tools: [], executor, planner: given }).run('goal');
  expect(result.reason).toBe('goal_met');
  expect(result.history[0]?.failure?.outcomeCode).toBe(outcomeCode);
  expect(given.asked[1]?.lastError).toMatch(error);
  expect(result.history[1]?.result).toBe('another way');
});

test('many failing pieces of code do not keep the next one out', async () => {
  const failing = Array.from({ length: 12 }, (_, index) => [code(index + 1, 'throw 1')]);
  const given = planner(...failing, [code(50, 'return 1')]);
  const agent = agentOf({ tools: [], executor, planner: given, maxSteps: 50, maxReplans: 50 });
  expect((await agent.run('goal')).reason).toBe('goal_met');
});
