import type { PlanStep } from '@glovebox/core';
import { expect, test } from 'vitest';

import { MemoryStore } from '../support/memory-store.ts';
import { agentOf, step, tool } from '../support/plan.ts';

// Arguments and results of fixed sizes: what grows is the number of steps alone.
const work = tool('work', () => 'x'.repeat(100), { idempotent: true });

interface Cost {
  readonly bytes: number;
  readonly calls: number;
}

/** Runs a plan of so many steps whose last one fails, and one more that goes on from there. */
async function run(steps: number, arrange: (plan: PlanStep[]) => PlanStep[]): Promise<Cost> {
  const store = new MemoryStore();
  let calls = 0;
  const counting = tool('work', () => {
    calls++;
    return 'x'.repeat(100);
  });
  const plan = arrange(Array.from({ length: steps }, (_, index) => step(index, 'work', { n: 0 })));
  const agent = agentOf({
    tools: [counting],
    store,
    planner: (_goal, _history, lastError) =>
      lastError === null ? [...plan, step(-1, 'missing')] : [step(-1, 'work')],
    maxSteps: steps + 2,
  });
  const result = await agent.run('goal', { sessionId: 's' });
  expect(result.reason).toBe('goal_met');
  return { bytes: store.bytesWritten, calls };
}

test.each<[what: string, arrange: (plan: PlanStep[]) => PlanStep[]]>([
  ['one after the other', (plan) => plan],
  ['in one gather', (plan) => [{ id: -2, gather: plan as [] }]],
  [
    'each of which refers to the one before',
    (plan) =>
      plan.map((one, index) => (index === 0 ? one : step(index, 'work', { $result: index - 1 }))),
  ],
])('a thousand steps %s write ten times as much as a hundred', async (_what, arrange) => {
  const hundred = await run(100, arrange);
  const thousand = await run(1000, arrange);
  expect([hundred.calls, thousand.calls]).toEqual([101, 1001]);
  // Ids get a digit longer, and nothing else.
  expect(thousand.bytes / hundred.bytes).toBeLessThan(10.5);
});

test('resuming a log of ten thousand events reads each line once, and writes only what is new', async () => {
  const store = new MemoryStore();
  const steps = 5_000;
  const plan = Array.from({ length: steps }, (_, index) => step(index, 'work'));
  const setup = { tools: [work], planner: () => plan, maxSteps: steps, store };
  const { events } = await agentOf(setup).run('goal', { sessionId: 's' });
  expect(events).toHaveLength(2 * steps + 2);
  // The last step was begun, and its end was never written.
  store.sessions.get('s')?.splice(-2);
  Object.assign(store, { reads: 0, linesRead: 0, bytesWritten: 0 });
  const resumed = await agentOf(setup).resume('s');
  expect([resumed.reason, resumed.history.length]).toEqual(['goal_met', steps]);
  // Header, commit, and two for each step but the end of the last.
  expect([store.reads, store.linesRead]).toEqual([1, 1 + 1 + 2 * steps - 1]);
  expect(store.bytesWritten).toBeLessThan(2_000);
});
