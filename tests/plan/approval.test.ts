import type { ApprovePlan, PlanApprovalRequest, PlanStep } from '@glovebox/core';
import { describe, expect, test } from 'vitest';

import { counted } from '../support/dispatch.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { agentOf, outline, planner, step, tool } from '../support/plan.ts';

/** An approver with these answers, which remembers what it was asked. */
function approver(...answers: Awaited<ReturnType<ApprovePlan>>[]) {
  const asked: PlanApprovalRequest[] = [];
  const approve: ApprovePlan = (request) => {
    asked.push(request);
    const answer = answers[asked.length - 1];
    if (answer === undefined) throw new Error('asked too often');
    return answer;
  };
  return { approve, asked };
}

const yes = { decision: 'approve' } as const;
const act = () => counted(() => 'acted', { name: 'act' });
const broken = tool('broken', () => {
  throw new Error('no');
});

test('a plan is approved before its first step, and each revision of it', async () => {
  const { approve, asked } = approver(yes, yes);
  const given = planner([step(1, 'broken'), step(2, 'act')], [step(2, 'act')]);
  const result = await agentOf({ tools: [act(), broken], planner: given, approve }).run('goal');
  expect(outline(result.events)).toEqual([
    'plan.draft 0',
    'plan.approval 0 approve',
    'plan.commit 0',
    'step.start 1',
    'step.end 1 error',
    'plan.draft 1',
    'plan.diff 1',
    'plan.approval 1 approve',
    'plan.commit 1',
    'step.start 2',
    'step.end 2 ok',
    'session.complete goal_met',
  ]);
  expect(asked).toMatchObject([
    {
      sessionId: 'session-1',
      goal: 'goal',
      revision: 0,
      diff: undefined,
      history: [],
      lastError: null,
      steps: [{ id: 1 }, { id: 2 }],
    },
    { revision: 1, diff: { removed: [1] }, history: [{ id: 1 }], lastError: 'Error: no' },
  ]);
});

describe('rejecting', () => {
  test('the first plan: no tool is called', async () => {
    const tool1 = act();
    const { approve } = approver({ decision: 'reject', reason: 'too dear' });
    const given = planner([step(1, 'act')]);
    const result = await agentOf({ tools: [tool1], planner: given, approve }).run('goal');
    expect(result).toMatchObject({
      status: 'failed',
      reason: 'rejected',
      message: 'too dear',
      history: [],
      resumable: false,
    });
    expect(tool1.calls).toEqual([]);
    expect(outline(result.events)).toEqual([
      'plan.draft 0',
      'plan.approval 0 reject',
      'session.complete rejected',
    ]);
  });

  test('a revision: no tool is called any more', async () => {
    const tool1 = act();
    const { approve } = approver(yes, { decision: 'reject' });
    const given = planner([step(1, 'act'), step(2, 'broken')], [step(3, 'act')]);
    const result = await agentOf({ tools: [tool1, broken], planner: given, approve }).run('goal');
    expect([result.reason, tool1.calls.length]).toEqual(['rejected', 1]);
  });
});

describe('editing', () => {
  test('the first plan is a revision by a person', async () => {
    const tool1 = act();
    const { approve } = approver({
      decision: 'edit',
      steps: [step(1, 'act', { n: 2 }), step(3, 'act')],
    });
    const given = planner([step(1, 'act', { n: 1 }), step(2, 'act')]);
    const result = await agentOf({ tools: [tool1], planner: given, approve }).run('goal');
    expect(outline(result.events).slice(0, 5)).toEqual([
      'plan.draft 0',
      'plan.approval 0 edit',
      'plan.draft 1',
      'plan.diff 1',
      'plan.commit 1',
    ]);
    expect(result.revisions).toEqual([
      {
        revision: 1,
        source: 'person',
        removed: [2],
        added: [3],
        revised: [1],
        moved: [],
        outcomeChanged: [],
      },
    ]);
    expect(tool1.calls).toEqual([{ n: 2 }, {}]);
  });

  test('a revision is compared with what the planner drafted, and costs no replan', async () => {
    const { approve } = approver(yes, { decision: 'edit', steps: [step(4, 'broken')] }, yes);
    const given = planner([step(1, 'broken')], [step(2, 'act'), step(3, 'act')], [step(5, 'act')]);
    const result = await agentOf({
      tools: [act(), broken],
      planner: given,
      approve,
      maxReplans: 2,
    }).run('goal');
    expect(result.reason).toBe('goal_met');
    expect(result.revisions).toMatchObject([
      { revision: 1, source: 'planner', removed: [1], added: [2, 3] },
      { revision: 2, source: 'person', removed: [2, 3], added: [4] },
      { revision: 3, source: 'planner', removed: [4], added: [5] },
    ]);
  });

  test.each<[what: string, steps: unknown, reason: string]>([
    ['to nothing', [], 'no_plan'],
    ['to what is no plan', [{ id: 1 }], 'bad_plan'],
  ])('%s', async (_what, steps, reason) => {
    const tool1 = act();
    const { approve } = approver({ decision: 'edit', steps: steps as PlanStep[] });
    const given = planner([step(1, 'act')]);
    const result = await agentOf({ tools: [tool1], planner: given, approve }).run('goal');
    expect([result.reason, tool1.calls]).toEqual([reason, []]);
  });
});

test.each<[what: string, approve: ApprovePlan, message: RegExp]>([
  [
    'throws',
    () => {
      throw new Error('nobody is there');
    },
    /^Error: nobody is there$/,
  ],
  ['gives what is no answer', () => true as never, /must be \{ decision: 'approve' \}/],
  [
    'gives an answer with more in it',
    () => ({ decision: 'approve', steps: [] }) as never,
    /must be \{ decision: 'approve' \}/,
  ],
])('an approver that %s lets nothing through', async (_what, approve, message) => {
  const tool1 = act();
  const store = new MemoryStore();
  const setup = { tools: [tool1], store, planner: planner([step(1, 'act')]) };
  const result = await agentOf({ ...setup, approve }).run('goal', { sessionId: 's' });
  expect(result).toMatchObject({ reason: 'approval_error', resumable: true });
  expect(result.message).toMatch(message);
  expect(tool1.calls).toEqual([]);
  // The plan is kept: a person may say yes another time.
  const again = await agentOf({ ...setup, planner: planner() }).resume('s', { approve: () => yes });
  expect([again.reason, tool1.calls.length]).toEqual(['goal_met', 1]);
});

test('an approver that never answers can be aborted', async () => {
  const controller = new AbortController();
  const heard: boolean[] = [];
  const result = await agentOf({
    tools: [act()],
    planner: planner([step(1, 'act')]),
    approve: (_request, { signal }) => {
      signal.addEventListener('abort', () => heard.push(signal.aborted));
      setTimeout(() => controller.abort(), 5);
      return new Promise(() => undefined);
    },
  }).run('goal', { signal: controller.signal });
  expect([result.reason, heard]).toEqual(['aborted', [true]]);
});

test('an approver that changes what it is shown changes nothing', async () => {
  const tool1 = act();
  await agentOf({
    tools: [tool1],
    planner: planner([step(1, 'act', { n: 1 })]),
    approve: ({ steps }) => {
      Object.assign(steps[0] ?? {}, { args: { n: 2 } });
      return yes;
    },
  }).run('goal');
  expect(tool1.calls).toEqual([{ n: 1 }]);
});

test('nobody is asked about an empty plan', async () => {
  const { approve, asked } = approver();
  const result = await agentOf({ tools: [], planner: planner([]), approve }).run('goal');
  expect([result.reason, asked]).toEqual(['no_plan', []]);
});
