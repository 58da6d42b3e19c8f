import type { Planner, PlanStep } from '@glovebox/core';
import { describe, expect, test } from 'vitest';

import { agentOf, outline, planner, step, tool } from '../support/plan.ts';

const noop = tool('noop');
const broken = tool('broken', () => {
  throw new Error('no');
});

describe('a planner that is wrong', () => {
  const faults: readonly (readonly [what: string, plan: unknown, message: RegExp])[] = [
    ['what is no list', 'fetch it', /expected array/],
    ['steps that are none', [1], /^Step at position 1: must be an object$/],
    ['no tool', [{ id: 1 }], /^Step at position 1: toolName: /],
    ['an id that is none', [step(1, 'noop'), { ...step(2, 'noop'), id: 'b' }], /position 2: id: /],
    ['a misspelt key', [{ ...step(1, 'noop'), arg: 1 }], /"arg"/],
    ['ids twice', [step(1, 'noop'), step(1, 'noop')], /^Two steps have the id 1\.$/],
    [
      'the id of a branch twice',
      [step(1, 'noop'), { id: 2, gather: [step(1, 'noop')] }],
      /^Two steps have the id 1\.$/,
    ],
    ['a gather within a gather', [{ id: 1, gather: [{ id: 2, gather: [] }] }], /gather: 0: /],
    ['arguments that are no data', [step(1, 'noop', { f: () => 1 })], /not serializable/],
    [
      'a reference to a later step',
      [step(1, 'noop', { $result: 2 }), step(2, 'noop')],
      /result of step 2/,
    ],
    ['a reference to itself', [step(1, 'noop', [{ $result: 1 }])], /result of step 1/],
    [
      'a reference to a sibling',
      [{ id: 1, gather: [step(2, 'noop'), step(3, 'noop', { $result: 2 })] }],
      /Step 3 refers to the result of step 2/,
    ],
    ['a reference that is none', [step(1, 'noop', { $result: 'x' })], /A reference is/],
    [
      'a path that is no pointer',
      [step(1, 'noop'), step(2, 'noop', { $result: 1, path: 'a' })],
      /pointer/,
    ],
    [
      'arguments that contain themselves',
      (() => {
        const args: Record<string, unknown> = {};
        args['self'] = args;
        return [step(1, 'noop', args)];
      })(),
      /contain a cycle/,
    ],
  ];
  test.each(faults)('%s: bad_plan', async (_what, plan, message) => {
    const result = await agentOf({ tools: [noop], planner: () => plan as PlanStep[] }).run('goal');
    expect(result).toMatchObject({ status: 'failed', reason: 'bad_plan', history: [] });
    expect(result.message).toMatch(message);
    expect(outline(result.events)).toEqual(['session.complete bad_plan']);
  });

  test.each([
    ['at once', 0],
    ['after a failure', 1],
  ])('that throws %s ends the session in good order', async (_when, at) => {
    const given: Planner = (_goal, history) => {
      if (history.length === at) throw new TypeError('a bug');
      return [step(1, 'broken')];
    };
    const result = await agentOf({ tools: [broken], planner: given }).run('goal');
    expect(result).toMatchObject({
      status: 'failed',
      reason: 'planner_error',
      message: 'TypeError: a bug',
      resumable: true,
    });
    expect(outline(result.events).at(-1)).toBe('session.complete planner_error');
  });

  test('a planner that changes history changes its own copy', async () => {
    const result = await agentOf({
      tools: [noop, broken],
      planner: (_goal, history, lastError) => {
        if (lastError === null) return [step(1, 'noop'), step(2, 'broken')];
        // The types forbid it; JavaScript does not.
        (history as unknown[]).length = 0;
        return [step(3, 'noop')];
      },
    }).run('goal');
    expect(result.history.map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  test('the same step objects again do not mix up history', async () => {
    let down = true;
    const shaky = tool('shaky', () => {
      if (!down) return 'up';
      down = false;
      throw new Error('down');
    });
    const same = [step(1, 'shaky')];
    const result = await agentOf({ tools: [shaky], planner: () => same }).run('goal');
    expect(result.history).toMatchObject([
      { id: 1, result: undefined, error: 'Error: down' },
      { id: 1, result: 'up', error: null },
    ]);
  });

  test('records of the history are steps again', async () => {
    const result = await agentOf({
      tools: [noop, broken],
      planner: (_goal, history, lastError) =>
        lastError === null ? [step(1, 'noop'), step(2, 'broken')] : history.slice(0, 1),
    }).run('goal');
    expect(result.reason).toBe('goal_met');
    expect(result.history.map(({ id, revision }) => [id, revision])).toEqual([
      [1, 0],
      [2, 0],
      [1, 1],
    ]);
  });

  test('a result stays as it was when its tool changes it later', async () => {
    const shared = { n: 1 };
    const tools = [tool('get', () => shared), tool('change', () => ++shared.n)];
    const given = planner([step(1, 'get'), step(2, 'change')]);
    const result = await agentOf({ tools, planner: given }).run('goal');
    expect(result.history.map((record) => record.result)).toEqual([{ n: 1 }, 2]);
  });

  test('a planner that changes its plan later changes nothing', async () => {
    const seen: unknown[] = [];
    const later = { n: 1 };
    const plan = [step(1, 'change'), step(2, 'see', later)];
    const change = tool('change', () => ++later.n);
    const see = tool('see', (args: unknown) => seen.push(args));
    await agentOf({ tools: [change, see], planner: () => plan }).run('goal');
    expect(seen).toEqual([{ n: 1 }]);
  });
});
