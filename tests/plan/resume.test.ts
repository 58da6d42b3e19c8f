import { setTimeout as delay } from 'node:timers/promises';

import { Executor, replaySession } from '@glovebox/core';
import type { PlanEvent, ToolContext } from '@glovebox/core';
import { describe, expect, test } from 'vitest';

import { cutAfter, startOf } from '../support/cut-session.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { agentOf, eventsOf, outline, planner, step, tool } from '../support/plan.ts';

const noop = tool('noop');
const broken = tool('broken', () => {
  throw new Error('no');
});

describe('budgets', () => {
  test.each([
    [4, 'goal_met'],
    [3, 'step_budget'],
  ])('steps count on over a resume: %i, %s', async (maxSteps, reason) => {
    const plan = [1, 2, 3, 4].map((id) => step(id, 'noop'));
    const idempotent = { ...noop, idempotent: true };
    const setup = { tools: [idempotent], planner: planner(plan), maxSteps };
    // Step 3 was begun: running it again is not a fourth.
    const store = await cutAfter(setup, startOf(3));
    const result = await agentOf({ ...setup, maxSteps: 99, store }).resume('s');
    expect(result.reason).toBe(reason);
  });

  test('replans count on over a resume', async () => {
    const always = [step(1, 'broken')];
    const setup = { tools: [broken], planner: planner(always, always, always), maxReplans: 2 };
    const store = await cutAfter(
      setup,
      (event) => event.type === 'plan.commit' && event.payload.revision === 1,
    );
    const given = planner(always, always, always, always);
    const result = await agentOf({ ...setup, planner: given, maxReplans: 99, store }).resume('s');
    expect([result.reason, given.asked.length]).toEqual(['replan_budget', 1]);
  });
});

describe('a draft that was written', () => {
  test('is not asked for again', async () => {
    const setup = {
      tools: [noop, broken],
      planner: planner([step(1, 'broken')], [step(2, 'noop')]),
    };
    const store = await cutAfter(setup, ({ type }) => type === 'plan.draft');
    const given = planner();
    const result = await agentOf({ ...setup, planner: given, store }).resume('s');
    expect([result.reason, given.asked.length]).toEqual(['goal_met', 0]);
    expect(result.revisions).toMatchObject([{ revision: 1, removed: [1], added: [2] }]);
  });
});

describe('an abort', () => {
  test('stops a running guest at once, and leaves a session that can be resumed', async () => {
    await using executor = new Executor({ hosts: 1 });
    await executor.ready();
    const controller = new AbortController();
    const store = new MemoryStore();
    const setup = {
      tools: [noop],
      executor,
      store,
      planner: planner([step(1, 'noop'), { id: 2, code: 'for (;;);' }]),
    };
    const ended = agentOf(setup).run('goal', {
      sessionId: 's',
      signal: controller.signal,
      onEvent: (event) => {
        if (startOf(2)(event)) setTimeout(() => controller.abort(new Error('enough')), 50);
      },
    });
    const result = await ended;
    expect(result).toMatchObject({
      status: 'interrupted',
      reason: 'aborted',
      message: 'Error: enough',
      resumable: true,
    });
    expect(outline(result.events).slice(-3)).toEqual([
      'step.start 2',
      'step.end 2 aborted',
      'session.complete aborted',
    ]);
    expect(result.history.map(({ id }) => id)).toEqual([1]);
    // The code has no end: only another plan has.
    const forked = await agentOf(setup).fork('s', 2, { plan: [step(3, 'noop')], sessionId: 't' });
    expect(forked.reason).toBe('goal_met');
  });

  test.each([
    ['before it begins', (): boolean => true, 0],
    ['between steps', (event: PlanEvent): boolean => event.type === 'step.end', 1],
  ])('%s', async (_when, isTime, done) => {
    const controller = new AbortController();
    if (done === 0) controller.abort();
    const store = new MemoryStore();
    const setup = { tools: [noop], store, planner: planner([step(1, 'noop'), step(2, 'noop')]) };
    const result = await agentOf(setup).run('goal', {
      sessionId: 's',
      signal: controller.signal,
      onEvent: (event) => {
        if (isTime(event)) controller.abort();
      },
    });
    expect([result.reason, result.history.length]).toEqual(['aborted', done]);
    const resumed = await agentOf({
      ...setup,
      planner: planner([step(1, 'noop'), step(2, 'noop')]),
    }).resume('s');
    expect([resumed.reason, resumed.history.length]).toEqual(['goal_met', 2]);
    expect(eventsOf(resumed.events, 'session.complete')).toHaveLength(2);
  });

  test('does not wait for a planner', async () => {
    const controller = new AbortController();
    const running = agentOf({
      tools: [noop],
      planner: () => {
        controller.abort();
        return new Promise(() => undefined);
      },
    }).run('goal', { signal: controller.signal });
    expect((await running).reason).toBe('aborted');
  });
});

describe('a session that has come to its end', () => {
  test.each([
    ['goal_met', [step(1, 'noop')]],
    ['no_plan', [step(1, 'broken')]],
  ])('%s: it is read, and nothing else', async (reason, plan) => {
    const store = new MemoryStore();
    const setup = { tools: [noop, broken], store };
    const ended = await agentOf({ ...setup, planner: planner(plan) }).run('goal', {
      sessionId: 's',
    });
    const given = planner();
    const again = await agentOf({ ...setup, planner: given }).resume('s');
    expect([again.reason, given.asked.length]).toEqual([reason, 0]);
    expect(JSON.stringify(again)).toBe(JSON.stringify(ended));
  });

  test('replays to the same events and the same result', async () => {
    const store = new MemoryStore();
    const given = planner(
      [
        step(1, 'noop'),
        { id: 2, gather: [step(3, 'noop'), step(4, 'broken')], policy: 'settled' },
        step(5, 'broken'),
      ],
      [step(6, 'noop', { $result: 2 })],
    );
    const ended = await agentOf({ tools: [noop, broken], store, planner: given }).run('goal');
    const replayed = await replaySession(store, ended.sessionId);
    expect({ ...replayed, toJSON: undefined }).toEqual({ ...ended, toJSON: undefined });
  });
});

test('a session whose process died replays as stopped', async () => {
  const setup = { tools: [noop], planner: planner([step(1, 'noop')]) };
  const store = await cutAfter(setup, startOf(1));
  expect(await replaySession(store, 's')).toMatchObject({
    status: 'interrupted',
    reason: 'stopped',
    resumable: true,
  });
});

test('a planner that failed is asked again', async () => {
  const store = new MemoryStore();
  const failing = agentOf({
    tools: [noop],
    store,
    planner: () => {
      throw new Error('the model is away');
    },
  });
  expect((await failing.run('goal', { sessionId: 's' })).reason).toBe('planner_error');
  const result = await agentOf({
    tools: [noop],
    store,
    planner: planner([step(1, 'noop')]),
  }).resume('s');
  expect(outline(result.events)).toEqual([
    'session.complete planner_error',
    'session.resume',
    'plan.commit 0',
    'step.start 1',
    'step.end 1 ok',
    'session.complete goal_met',
  ]);
});

describe('a log that cannot be written', () => {
  test.each([2, 3, 4, 5])('at line %i: the session ends, and can be resumed', async (failsAt) => {
    const store = new MemoryStore();
    store.failsAt = failsAt;
    const idempotent = { ...noop, idempotent: true };
    const plan = [step(1, 'noop'), step(2, 'noop')];
    const seen: PlanEvent[] = [];
    const result = await agentOf({ tools: [idempotent], store, planner: planner(plan) }).run(
      'goal',
      {
        sessionId: 's',
        onEvent: (event) => seen.push(event),
      },
    );
    expect(result).toMatchObject({
      status: 'failed',
      reason: 'store_error',
      message: 'JournalError: The log could not be written: no space left',
      resumable: true,
    });
    expect(seen.at(-1)?.type).toBe('session.complete');
    expect(store.sessions.get('s')).toHaveLength(failsAt - 1);
    store.failsAt = Infinity;
    const resumed = await agentOf({ tools: [idempotent], store, planner: planner(plan) }).resume(
      's',
    );
    expect(resumed.history.map(({ id }) => id)).toEqual([1, 2]);
  });

  test('stops the branches of a gather', async () => {
    const store = new MemoryStore();
    store.failsAt = 6;
    const stopped: unknown[] = [];
    const act = tool('act', async ({ n }: { n: number }, { signal }: ToolContext) => {
      if (n === 1) return;
      await delay(5_000, undefined, { signal }).catch(() => stopped.push(n));
    });
    const plan = [{ id: 9, gather: [step(1, 'act', { n: 1 }), step(2, 'act', { n: 2 })] }];
    const result = await agentOf({ tools: [act], store, planner: planner(plan) }).run('goal');
    expect([result.reason, stopped]).toEqual(['store_error', [2]]);
  });
});

test('a log that misses an event is not written on, even where that would work again', async () => {
  const store = new MemoryStore();
  // The end of the first branch is lost, perhaps half of it is there.
  Object.assign(store, { failsAt: 6, recovers: true });
  const act = tool('act', ({ n }: { n: number }) => delay(n * 10));
  const plan = [{ id: 9, gather: [step(1, 'act', { n: 1 }), step(2, 'act', { n: 2 })] }];
  const agent = agentOf({ tools: [act], store, planner: planner(plan) });
  const result = await agent.run('goal', { sessionId: 's' });
  expect(result.reason).toBe('store_error');
  expect(outline((await replaySession(store, 's')).events).at(-1)).toBe('step.start 2');
});

describe('a log that is broken', () => {
  const setup = { tools: [noop], planner: planner([step(1, 'noop')]) };
  test.each<[what: string, spoil: (lines: string[]) => void, message: RegExp]>([
    ['a line that is no text of ours', (lines) => lines.splice(2, 1, 'nonsense'), /line 3/],
    [
      'a line that is missing',
      (lines) => lines.splice(2, 1),
      /line 3: the sequence number is 3, not 2/,
    ],
    ['a line twice', (lines) => lines.splice(2, 0, lines[2] ?? ''), /line 4/],
    [
      'a type that is none',
      (lines) => (lines[2] = lines[2]?.replace('step.start', 'step.stop') ?? ''),
      /line 3/,
    ],
    [
      'an end without a beginning',
      (lines) => (lines[3] = lines[3]?.replace('"stepId":1', '"stepId":7') ?? ''),
      /Step 7 ended without a start/,
    ],
    ['a header that is none', (lines) => (lines[0] = 'safe:{"version":2}'), /line 1/],
  ])('%s', async (_what, spoil, message) => {
    const store = new MemoryStore();
    await agentOf({ ...setup, planner: planner([step(1, 'noop')]), store }).run('goal', {
      sessionId: 's',
    });
    spoil(store.sessions.get('s') ?? []);
    for (const read of [
      () => replaySession(store, 's'),
      () => agentOf({ ...setup, store }).resume('s'),
    ]) {
      await expect(read()).rejects.toMatchObject({ code: 'PLAN_LOG_CORRUPT' });
      await expect(read()).rejects.toThrow(message);
    }
  });
});

test('what a caller wants to find with a session is kept', async () => {
  const store = new MemoryStore();
  const agent = agentOf({ tools: [noop], store, planner: planner([step(1, 'noop')]), maxSteps: 3 });
  const metadata = { owner: 'me', at: new Date(7) };
  const result = await agent.run('the goal', { sessionId: 's', metadata });
  const facts = { goal: 'the goal', maxSteps: 3, maxReplans: 5, metadata, forkedFrom: undefined };
  expect(result).toMatchObject(facts);
  expect(await replaySession(store, 's')).toMatchObject(facts);
  expect(await agent.fork('s', 1, { sessionId: 't' })).toMatchObject({
    ...facts,
    forkedFrom: { sessionId: 's', stepId: 1 },
  });
  await expect(agent.run('goal', { metadata: () => 1 })).rejects.toMatchObject({
    code: 'INVALID_OPTIONS',
    path: 'metadata',
  });
});

test('names of sessions are for one session', async () => {
  const store = new MemoryStore();
  const agent = agentOf({ tools: [noop], store, planner: planner([], []) });
  await agent.run('goal', { sessionId: 's' });
  await expect(agent.run('goal', { sessionId: 's' })).rejects.toMatchObject({
    code: 'PLAN_SESSION_EXISTS',
  });
  await expect(agent.resume('t')).rejects.toMatchObject({ code: 'PLAN_SESSION_UNKNOWN' });
});
