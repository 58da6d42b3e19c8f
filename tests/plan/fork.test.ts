import { describe, expect, test } from 'vitest';

import { counted } from '../support/dispatch.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { agentOf, outline, planner, step, tool } from '../support/plan.ts';

/** A session of steps 1 to 4, of which 2 is a gather of 21 and 22, and a way to go on from it. */
async function session() {
  const act = counted(({ n }: { n: number }) => n * 10, { name: 'act' });
  const store = new MemoryStore();
  const plan = [
    step(1, 'act', { n: 1 }),
    { id: 2, gather: [step(21, 'act', { n: 21 }), step(22, 'act', { n: 22 })] },
    step(3, 'act', { n: 3 }),
    step(4, 'act', { n: 4 }),
  ];
  const given = planner(plan);
  const agent = agentOf({ tools: [act, tool('noop')], store, planner: given, maxSteps: 7 });
  const first = await agent.run('goal', { sessionId: 'first' });
  expect(first.reason).toBe('goal_met');
  act.calls.length = 0;
  return { act, store, agent, first, given };
}

describe('a fork', () => {
  test('goes on with the same plan, and does again only what comes from there on', async () => {
    const { act, store, agent, first, given } = await session();
    const kept = [...(store.sessions.get('first') ?? [])];
    const forked = await agent.fork('first', 3, { sessionId: 'second' });
    expect(forked).toMatchObject({ sessionId: 'second', reason: 'goal_met' });
    expect(act.calls).toEqual([{ n: 3 }, { n: 4 }]);
    expect(forked.history).toEqual(first.history);
    expect(outline(forked.events)).toEqual(outline(first.events));
    expect(given.asked).toHaveLength(1);
    // The other session stays as it is, and both can be read.
    expect(store.sessions.get('first')).toEqual(kept);
    expect(outline((await agent.resume('second')).events)).toEqual(outline(forked.events));
  });

  test('tries another way from there', async () => {
    const { act, agent } = await session();
    const plan = [step(5, 'act', { n: 5, before: { $result: 2 } })];
    const forked = await agent.fork('first', 3, { plan });
    expect(act.calls).toEqual([{ n: 5, before: [210, 220] }]);
    expect(forked.revisions).toMatchObject([
      { revision: 1, source: 'person', removed: [3, 4], added: [5], revised: [] },
    ]);
    expect(forked.history.map(({ id }) => id)).toEqual([1, 21, 22, 5]);
  });

  test.each([
    [1, 5],
    [2, 4],
    [22, 4],
    [4, 1],
  ])('from step %i does %i steps', async (stepId, calls) => {
    const { act, agent } = await session();
    await agent.fork('first', stepId);
    expect(act.calls).toHaveLength(calls);
  });

  test('has what is left of the budget', async () => {
    const { agent } = await session();
    const plan = [5, 6, 7, 8, 9].map((id) => step(id, 'noop'));
    const forked = await agent.fork('first', 3, { plan });
    expect(forked.reason).toBe('step_budget');
    // Three steps were done before, and seven are allowed.
    expect(forked.history.map(({ id }) => id)).toEqual([1, 21, 22, 5, 6, 7, 8]);
  });

  test('of a failed step, before it failed', async () => {
    let isDown = true;
    const shaky = tool('shaky', () => {
      if (isDown) throw new Error('down');
      return 'up';
    });
    const store = new MemoryStore();
    const agent = agentOf({ tools: [shaky], store, planner: planner([step(1, 'shaky')]) });
    expect((await agent.run('goal', { sessionId: 's' })).reason).toBe('no_plan');
    isDown = false;
    const forked = await agent.fork('s', 1);
    expect([forked.reason, forked.history.length]).toEqual(['goal_met', 1]);
  });

  test.each([
    ['a step that never was', 'first', 99, {}, 'INVALID_OPTIONS'],
    ['a session that is not there', 'third', 1, {}, 'PLAN_SESSION_UNKNOWN'],
    ['a name that is taken', 'first', 1, { sessionId: 'first' }, 'PLAN_SESSION_EXISTS'],
    ['a plan that is none', 'first', 1, { plan: [{ id: 1 }] }, 'INVALID_OPTIONS'],
    [
      'a plan that refers to what is not done by then',
      'first',
      1,
      { plan: [step(5, 'act', { $result: 3 })] },
      'INVALID_OPTIONS',
    ],
  ])('refuses %s', async (_what, sessionId, stepId, options, code) => {
    const { act, agent, store } = await session();
    await expect(agent.fork(sessionId, stepId, options as never)).rejects.toMatchObject({ code });
    expect([act.calls.length, store.sessions.size]).toEqual([0, 1]);
  });
});
