import { PlanExecuteAgent, SESSION_REASONS } from '@glovebox/core';
import type { PlanStep } from '@glovebox/core';
import { describe, expect, test } from 'vitest';

import { deterministicPlanner } from '../../examples/plan-execute/deterministic-planner.ts';
import { counted } from '../support/dispatch.ts';
import { agentOf, eventsOf, outline, planner, step, tool } from '../support/plan.ts';

const noop = tool('noop');

/** The tools of the deterministic planner. Transforming the first way fails as often as given. */
function pipeline(v1Failures = Infinity) {
  let failures = 0;
  const transform = counted(
    ({ mode, fail = false }: { mode: string; fail?: boolean }) => {
      if (fail || (mode === 'v1' && failures++ < v1Failures))
        throw new Error(`transform ${mode} is down`);
      return { mode };
    },
    { name: 'transform' },
  );
  const tools = [
    tool('fetch', () => ({ rows: [1, 2] })),
    transform,
    tool('render'),
    tool('submit'),
    tool('log_failure'),
    tool('notify_user'),
  ];
  const callsOf = (mode: string): number =>
    transform.calls.filter((args) => (args as { mode: string }).mode === mode).length;
  return { tools, callsOf };
}

const fourSteps = [1, 2, 3, 4].map((id) => step(id, 'noop'));
const twentySteps = Array.from({ length: 20 }, (_, index) => step(index + 1, 'noop'));
const broken = tool('broken', () => {
  throw new Error('no');
});

describe('a plan', () => {
  test('is carried out step by step to the goal', async () => {
    const result = await agentOf({ tools: [noop], planner: planner(fourSteps) }).run('goal');
    expect(result).toMatchObject({ status: 'completed', reason: 'goal_met', revisions: [] });
    expect(result.history.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect(result.events.at(0)?.type).toBe('plan.commit');
    expect(result.events.at(-1)?.type).toBe('session.complete');
    expect(eventsOf(result.events, 'step.start')).toHaveLength(4);
    expect(eventsOf(result.events, 'step.end')).toHaveLength(4);
  });

  test('that is empty is none', async () => {
    const result = await agentOf({ tools: [noop], planner: planner([]) }).run('goal');
    expect(result).toMatchObject({ status: 'failed', reason: 'no_plan', history: [] });
    expect(outline(result.events)).toEqual(['plan.commit 0', 'session.complete no_plan']);
  });

  test('a failed step is routed around', async () => {
    const { tools, callsOf } = pipeline(1);
    const result = await agentOf({ tools, planner: deterministicPlanner() }).run('ship it');
    expect(result).toMatchObject({ status: 'completed', reason: 'goal_met' });
    expect([callsOf('v1'), callsOf('v2')]).toEqual([1, 1]);
    expect(result.revisions).toHaveLength(1);
    const [diff, ...others] = eventsOf(result.events, 'plan.diff');
    expect(others).toEqual([]);
    expect(diff?.payload).toEqual({
      revision: 1,
      source: 'planner',
      removed: [],
      added: [],
      revised: [2],
      moved: [],
      outcomeChanged: [2],
    });
  });

  test('the golden session', async () => {
    const { tools, callsOf } = pipeline();
    const agent = agentOf({ tools, planner: deterministicPlanner({ failingStep: 2 }) });
    const result = await agent.run('ship it');
    expect(result.toJSON()).toEqual({
      session_id: 'session-1',
      status: 'completed',
      reason: 'goal_met',
      message: null,
      history: [
        { id: 1, tool: 'fetch', args: { key: 'input' }, result: { rows: [1, 2] }, error: null },
        {
          id: 2,
          tool: 'transform',
          args: { mode: 'v1', fail: true },
          result: null,
          error: 'Error: transform v1 is down',
        },
        { id: 2, tool: 'transform', args: { mode: 'v2' }, result: { mode: 'v2' }, error: null },
        { id: 3, tool: 'render', args: {}, result: 'render done', error: null },
        { id: 4, tool: 'submit', args: {}, result: 'submit done', error: null },
      ],
      revisions: [
        {
          revision: 1,
          source: 'planner',
          removed: [],
          added: [],
          revised: [2],
          moved: [],
          outcome_changed: [2],
        },
      ],
      events: expect.any(Array),
    });
    expect(outline(result.events)).toEqual([
      'plan.commit 0',
      'step.start 1',
      'step.end 1 ok',
      'step.start 2',
      'step.end 2 error',
      'plan.draft 1',
      'plan.diff 1',
      'plan.commit 1',
      'step.start 2',
      'step.end 2 ok',
      'step.start 3',
      'step.end 3 ok',
      'step.start 4',
      'step.end 4 ok',
      'session.complete goal_met',
    ]);
    expect(callsOf('v1')).toBe(1);
    expect(result.events.map(({ seq }) => seq)).toEqual(result.events.map((_, index) => index + 1));
    const { events } = result.toJSON();
    expect(events.slice(0, 2)).toEqual([
      {
        type: 'plan.commit',
        payload: {
          revision: 0,
          steps: [
            { id: 1, tool: 'fetch', outcome: 'the input is there' },
            { id: 2, tool: 'transform', outcome: 'the input is in the first format' },
            { id: 3, tool: 'render', outcome: 'the page is rendered' },
            { id: 4, tool: 'submit', outcome: 'the page is with the backend' },
          ],
        },
        // The first tick is for the session itself.
        ts: 0.002,
      },
      { type: 'step.start', payload: { step_id: 1, tool: 'fetch' }, ts: 0.003 },
    ]);
    expect(events[4]).toMatchObject({
      type: 'step.end',
      payload: { step_id: 2, outcome: 'error', error: 'Error: transform v1 is down' },
    });
  });

  test('names are in snake_case as JSON, and data is as it was', async () => {
    const tools = [
      tool('get', () => ({ myKey: new Date(0) })),
      tool('refuse', () => {
        throw Object.assign(new Error('no'), { details: { myKey: 1 } });
      }),
    ];
    const plans = planner([step(1, 'get', { someKey: 1 }), step(2, 'refuse')]);
    const { history, events } = (await agentOf({ tools, planner: plans }).run('goal')).toJSON();
    expect(history[0]?.args).toEqual({ someKey: 1 });
    expect(events[2]?.payload).toEqual({
      step_id: 1,
      outcome: 'ok',
      result: { myKey: expect.objectContaining({ __type__: 'datetime' }) },
    });
    expect(events[4]?.payload).toEqual({
      step_id: 2,
      outcome: 'error',
      error: 'Error: no',
      failure: { kind: 'internal', name: 'Error', message: 'no', details: { myKey: 1 } },
    });
    expect(JSON.stringify(events)).not.toContain('stepId');
  });

  test('an id that was used for a step that is done counts as added', async () => {
    const plans = planner(
      [step(1, 'noop'), step(2, 'broken'), step(3, 'noop')],
      [step(1, 'noop', { other: true }), step(3, 'noop')],
    );
    const result = await agentOf({ tools: [noop, broken], planner: plans }).run('goal');
    expect(result.revisions).toMatchObject([{ removed: [2], added: [1], revised: [] }]);
  });

  test('giving up in good order meets a goal, too', async () => {
    const { tools } = pipeline();
    const result = await agentOf({
      tools,
      planner: deterministicPlanner({ failingStep: 2, recovery: 'give_up' }),
    }).run('ship it');
    expect(result).toMatchObject({ status: 'completed', reason: 'goal_met' });
    expect(result.revisions).toMatchObject([{ removed: [2, 3, 4], added: [98, 99], revised: [] }]);
  });

  test('a planner may say that the goal cannot be met', async () => {
    const result = await agentOf({
      tools: [broken],
      planner: (_goal, _history, lastError) =>
        lastError === null ? [step(1, 'broken')] : { gaveUp: 'there is no other way' },
    }).run('goal');
    expect(result).toMatchObject({
      status: 'failed',
      reason: 'gave_up',
      message: 'there is no other way',
      resumable: false,
    });
    expect(eventsOf(result.events, 'plan.draft')).toEqual([]);
  });
});

describe('budgets', () => {
  interface Case {
    readonly what: string;
    readonly plans: readonly (readonly PlanStep[])[];
    readonly limits: { readonly maxSteps?: number; readonly maxReplans?: number };
    readonly reason: string;
    /** Ids of the history. */
    readonly ids: readonly number[];
    readonly planners: number;
  }
  const always = [step(1, 'broken')];
  const cases: readonly Case[] = [
    {
      what: 'the same broken plan again and again',
      plans: [always, always, always, always],
      limits: { maxReplans: 2, maxSteps: 50 },
      reason: 'replan_budget',
      ids: [1, 1, 1],
      planners: 3,
    },
    {
      what: 'the same broken plan with the defaults',
      plans: Array.from({ length: 9 }, () => always),
      limits: {},
      reason: 'replan_budget',
      ids: [1, 1, 1, 1, 1, 1],
      planners: 6,
    },
    {
      what: 'more steps than allowed',
      plans: [twentySteps],
      limits: { maxSteps: 5 },
      reason: 'step_budget',
      ids: [1, 2, 3, 4, 5],
      planners: 1,
    },
    {
      what: 'no replan allowed',
      plans: [always],
      limits: { maxReplans: 0 },
      reason: 'replan_budget',
      ids: [1],
      planners: 1,
    },
    {
      what: 'as many steps as allowed',
      plans: [fourSteps],
      limits: { maxSteps: 4 },
      reason: 'goal_met',
      ids: [1, 2, 3, 4],
      planners: 1,
    },
    {
      what: 'no step allowed',
      plans: [fourSteps],
      limits: { maxSteps: 0 },
      reason: 'step_budget',
      ids: [],
      planners: 1,
    },
    {
      what: 'a failure at the last step: the planner is not asked in vain',
      plans: [[step(1, 'noop'), step(2, 'broken')], fourSteps],
      limits: { maxSteps: 2 },
      reason: 'step_budget',
      ids: [1, 2],
      planners: 1,
    },
    {
      what: 'no plan at the last replan allowed',
      plans: [always, []],
      limits: { maxReplans: 1 },
      reason: 'no_plan',
      ids: [1],
      planners: 2,
    },
  ];
  test.each(cases)('$what: $reason', async ({ plans, limits, reason, ids, planners }) => {
    const given = planner(...plans);
    const result = await agentOf({ tools: [noop, broken], planner: given, ...limits }).run('goal');
    expect(result.reason).toBe(reason);
    expect(result.history.map(({ id }) => id)).toEqual(ids);
    expect(given.asked).toHaveLength(planners);
    expect(result.events.at(-1)?.type).toBe('session.complete');
  });

  test('the same plan again is a revision without differences', async () => {
    const given = planner(always, always);
    const result = await agentOf({ tools: [broken], planner: given, maxReplans: 1 }).run('goal');
    expect(result.revisions).toEqual([
      {
        revision: 1,
        source: 'planner',
        removed: [],
        added: [],
        revised: [],
        moved: [],
        outcomeChanged: [],
      },
    ]);
  });

  test('an empty plan after a failure is drafted, and not compared', async () => {
    const result = await agentOf({ tools: [broken], planner: planner(always) }).run('goal');
    expect(outline(result.events).slice(-3)).toEqual([
      'step.end 1 error',
      'plan.draft 1',
      'session.complete no_plan',
    ]);
    expect(result.revisions).toEqual([]);
  });

  test('a planner is told what is left', async () => {
    const given = planner([step(1, 'noop'), step(2, 'broken')], [step(2, 'noop')]);
    await agentOf({ tools: [noop, broken], planner: given }).run('goal');
    expect(given.asked).toMatchObject([
      { remainingSteps: 12, remainingReplans: 5, lastError: null, history: [] },
      { remainingSteps: 10, remainingReplans: 4, lastError: 'Error: no', goal: 'goal' },
    ]);
    expect(given.asked[1]?.history).toMatchObject([
      { id: 1, toolName: 'noop', result: 'noop done', error: null },
      {
        id: 2,
        toolName: 'broken',
        result: undefined,
        error: 'Error: no',
        failure: { kind: 'internal' },
      },
    ]);
  });

  test('the newest error stays the last one', async () => {
    const given = planner(always, [step(2, 'noop'), step(3, 'missing')]);
    await agentOf({ tools: [noop, broken], planner: given }).run('goal');
    expect(given.asked.at(-1)?.lastError).toBe('not_found: There is no tool named "missing".');
  });
});

describe('misuse', () => {
  test.each([
    ['no planner', { planner: undefined }, /planner: must be a function/],
    ['no dispatcher', { dispatcher: {} }, /dispatcher: must be a Dispatcher/],
    ['a budget that is none', { maxSteps: -1 }, /maxSteps: /],
    ['an unknown option', { steps: 1 }, /steps/],
  ])('%s', (_what, options, message) => {
    const { dispatcher } = { dispatcher: { dispatch: () => undefined } };
    const all = { planner: planner(), dispatcher, ...options };
    expect(() => new PlanExecuteAgent(all as never)).toThrow(message);
  });

  test.each(['../up', '', '.hidden', 'a b', 'a'.repeat(129)])(
    'a session named %j',
    async (sessionId) => {
      const run = agentOf({ tools: [noop], planner: planner(fourSteps) }).run('goal', {
        sessionId,
      });
      await expect(run).rejects.toMatchObject({ code: 'INVALID_OPTIONS', path: 'sessionId' });
    },
  );

  test('resuming what is kept nowhere', async () => {
    await expect(agentOf({ tools: [noop] }).resume('session-1')).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      path: 'store',
    });
  });
});

test('every reason has its status', () => {
  const byStatus = Object.groupBy(Object.entries(SESSION_REASONS), ([, { status }]) => status);
  expect(byStatus.completed?.map(([reason]) => reason)).toEqual(['goal_met']);
  expect(byStatus.interrupted?.map(([reason]) => reason)).toEqual(['aborted', 'stopped']);
});
