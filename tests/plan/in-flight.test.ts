import { setTimeout as delay } from 'node:timers/promises';

import { Executor } from '@glovebox/core';
import type { InFlightDecision, PlanStep, ToolContext } from '@glovebox/core';
import { describe, expect, test } from 'vitest';

import { cutAfter, startOf } from '../support/cut-session.ts';
import { counted } from '../support/dispatch.ts';
import { agentOf, eventsOf, outline, planner, step, tool } from '../support/plan.ts';

const noop = tool('noop');

describe('a step that was under way', () => {
  interface Case {
    readonly what: string;
    readonly idempotent?: boolean;
    readonly decide?: () => InFlightDecision;
    readonly events: readonly string[];
    readonly calls: number;
    readonly result: unknown;
  }
  const cases: readonly Case[] = [
    {
      what: 'is run again where that does no harm',
      idempotent: true,
      events: ['session.resume 2 run_again', 'step.start 2', 'step.end 2 ok'],
      calls: 1,
      result: 'acted',
    },
    {
      what: 'is run again where the caller says so',
      decide: () => ({ action: 'run_again' }),
      events: ['session.resume 2 run_again', 'step.start 2', 'step.end 2 ok'],
      calls: 1,
      result: 'acted',
    },
    {
      what: 'takes the result that the caller knows',
      decide: () => ({ action: 'take_result', result: new Date(7) }),
      events: ['session.resume 2 take_result', 'step.end 2 ok'],
      calls: 0,
      result: new Date(7),
    },
    {
      what: 'fails where the caller says so',
      decide: () => ({ action: 'fail' }),
      events: [
        'session.resume 2 fail',
        'step.end 2 error',
        'plan.draft 1',
        'session.complete no_plan',
      ],
      calls: 0,
      result: undefined,
    },
    {
      what: 'fails where nobody knows',
      events: [
        'session.resume 2 fail',
        'step.end 2 error',
        'plan.draft 1',
        'session.complete no_plan',
      ],
      calls: 0,
      result: undefined,
    },
  ];
  test.each(cases)(
    '$what',
    async ({ idempotent = false, decide, events, calls, result: value }) => {
      const act = counted(() => 'acted', { name: 'act', idempotent });
      const plan = [step(1, 'noop'), step(2, 'act'), step(3, 'noop')];
      const setup = { tools: [noop, act], planner: planner(plan) };
      const store = await cutAfter(setup, startOf(2));
      act.calls.length = 0;
      const given = planner();
      const agent = agentOf({
        tools: [noop, act],
        planner: given,
        store,
        ...(decide === undefined ? {} : { decideInFlight: decide }),
      });
      const result = await agent.resume('s');
      expect(outline(result.events).slice(4, 4 + events.length)).toEqual(events);
      expect(act.calls).toHaveLength(calls);
      expect(result.history[1]).toMatchObject({ id: 2, result: value });
      expect(given.asked.length).toBe(value === undefined ? 1 : 0);
    },
  );

  test('is told with the key that its tool was given', async () => {
    const keys: unknown[] = [];
    const act = tool('act', (_args: unknown, { idempotencyKey }: ToolContext) => {
      keys.push(idempotencyKey);
    });
    const setup = { tools: [act], planner: planner([step(2, 'act', { n: 1 })]) };
    const store = await cutAfter(setup, startOf(2));
    const agent = agentOf({
      ...setup,
      store,
      decideInFlight: (question) => {
        expect(question).toEqual({
          sessionId: 's',
          stepId: 2,
          toolName: 'act',
          args: { n: 1 },
          idempotencyKey: keys[0],
        });
        return { action: 'run_again' };
      },
    });
    expect((await agent.resume('s')).reason).toBe('goal_met');
    expect(keys).toHaveLength(2);
    expect(keys[0]).toMatch(/^s:0:2:[0-9a-f]{64}$/);
    expect(keys[1]).toBe(keys[0]);
  });

  test.each<[what: string, uses: string[], action: string]>([
    ['calls nothing', [], 'run_again'],
    ['calls what does harm twice', ['noop'], 'fail'],
    ['calls what does no harm twice', ['get'], 'run_again'],
  ])('is code that %s', async (_what, uses, action) => {
    await using executor = new Executor({ hosts: 1, spareHosts: 0 });
    const tools = [noop, tool('get', () => 1, { idempotent: true })];
    const plan = planner([{ id: 1, code: 'return 6 * 7', uses }]);
    const setup = { tools, executor, planner: plan };
    const result = await agentOf({ ...setup, store: await cutAfter(setup, startOf(1)) }).resume(
      's',
    );
    expect(outline(result.events)[2]).toBe(`session.resume 1 ${action}`);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('nobody is there');
      },
      'Error: nobody is there',
    ],
    ['gives what is no answer', () => 'yes' as never, /invalid_type|expected/i],
  ])('a decider that %s leaves it under way', async (_what, decideInFlight, message) => {
    const act = counted(() => 'acted', { name: 'act' });
    const setup = { tools: [act], planner: planner([step(1, 'act')]) };
    const store = await cutAfter(setup, startOf(1));
    const result = await agentOf({ ...setup, store, decideInFlight }).resume('s');
    expect(result).toMatchObject({ reason: 'approval_error', resumable: true });
    expect(result.message).toMatch(message);
    const again = await agentOf({
      ...setup,
      store,
      decideInFlight: () => ({ action: 'take_result', result: 1 }),
    }).resume('s');
    expect([again.reason, again.history[0]?.result]).toEqual(['goal_met', 1]);
  });
});

describe('branches that were under way', () => {
  const branches = [step(1, 'act', { n: 1 }), step(2, 'act', { n: 2 }), step(3, 'act', { n: 3 })];
  const plan: PlanStep[] = [{ id: 10, gather: branches, concurrency: 2 }];

  test('are gone on with; those that are done are not run again', async () => {
    const act = counted(({ n }: { n: number }) => delay(n === 1 ? 20 : 1, n), {
      name: 'act',
      idempotent: true,
    });
    const setup = { tools: [act], planner: planner(plan) };
    // Branch 2 is done, 1 and 3 are under way.
    const store = await cutAfter(setup, startOf(3));
    act.calls.length = 0;
    const result = await agentOf({ ...setup, store }).resume('s');
    expect(result.reason).toBe('goal_met');
    expect(act.calls).toEqual([{ n: 1 }, { n: 3 }]);
    expect(eventsOf(result.events, 'session.resume')[0]?.payload.inFlight).toEqual([
      { stepId: 1, action: 'run_again' },
      { stepId: 3, action: 'run_again' },
    ]);
    expect(result.toJSON().events.find(({ type }) => type === 'session.resume')?.payload).toEqual({
      in_flight: [
        { step_id: 1, action: 'run_again' },
        { step_id: 3, action: 'run_again' },
      ],
    });
    expect(result.history.map(({ id, result: value }) => [id, value])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  test('are not run again where the gather was decided', async () => {
    const act = counted(
      async ({ n }: { n: number }, { signal }: ToolContext) => {
        if (n === 2) throw new Error('no');
        await delay(5_000, undefined, { signal });
      },
      { name: 'act', idempotent: true },
    );
    const setup = { tools: [act], planner: planner(plan) };
    const store = await cutAfter(
      setup,
      (event) => event.type === 'step.end' && event.payload.stepId === 2,
    );
    act.calls.length = 0;
    const result = await agentOf({ ...setup, planner: planner(), store }).resume('s');
    expect(act.calls).toEqual([]);
    expect(result.history.map(({ id, failure }) => [id, failure?.kind])).toEqual([
      [1, 'cancelled'],
      [2, 'internal'],
    ]);
  });
});

test('a tool that has become idempotent meanwhile is run again, and nothing is taken from before', async () => {
  const before = counted(() => 'acted', { name: 'act' });
  const plans = planner([step(1, 'act'), step(2, 'missing')], [step(3, 'act')]);
  const store = await cutAfter({ tools: [before], planner: plans }, startOf(3));
  const now = counted(() => 'acted', { name: 'act', idempotent: true });
  const result = await agentOf({ tools: [now], planner: planner(), store }).resume('s');
  expect([result.reason, now.calls.length]).toEqual(['goal_met', 1]);
});
