import { AgentMemory } from '@glovebox/core/agent';
import type { MemoryStep, PlanningStep } from '@glovebox/core/agent';
import { expect, test } from 'vitest';

import { useExecutor } from '../support/adapters.ts';
import { agentOf, code } from '../support/agent.ts';

const executor = useExecutor();

const kindsOf = (steps: readonly MemoryStep[]): string[] => steps.map(({ type }) => type);
const rolesOf = (call: readonly string[] = []): string[] =>
  call.map((message) => message.slice(0, message.indexOf(':')));
const isPlan = (step: MemoryStep): step is PlanningStep => step.type === 'planning';

test('plans at step 1 and then after every so many steps', async () => {
  const lines = [
    'Plan one.',
    code('return 1'),
    code('return 2'),
    'Plan two.',
    code('return 3'),
    code('return 4'),
    'Plan three.',
    code('await finalAnswer(5)'),
  ];
  const { agent } = agentOf(lines, { executor: executor(), planningInterval: 2 });
  const result = await agent.run('Count.');
  expect(kindsOf(agent.memory.steps)).toEqual([
    'task',
    'planning',
    'action',
    'action',
    'planning',
    'action',
    'action',
    'planning',
    'action',
    'final',
  ]);
  // Plans are no steps; what they cost counts.
  expect(result).toMatchObject({ stepCount: 5, usage: { inputTokens: 80, outputTokens: 40 } });
});

test('with an interval of 1 there is a plan before every step', async () => {
  const lines = ['One.', code('return 1'), 'Two.', code('await finalAnswer(2)')];
  const { agent } = agentOf(lines, { executor: executor(), planningInterval: 1 });
  await agent.run('Count.');
  expect(agent.memory.steps.filter(isPlan).map(({ plan, isUpdate }) => [plan, isUpdate])).toEqual([
    ['One.', false],
    ['Two.', true],
  ]);
});

test('the first plan is asked for in one message, the next between two others', async () => {
  const lines = ['One.', code('return 41'), 'Two.', code('await finalAnswer(42)')];
  const { agent, model } = agentOf(lines, { executor: executor(), planningInterval: 1 });
  await agent.run('Find the number.');
  expect(rolesOf(model.calls[0])).toEqual(['user']);
  expect(model.calls[0]?.[0]).toContain('Find the number.');
  expect(rolesOf(model.calls[2])).toEqual(['system', 'user', 'assistant', 'user', 'user']);
});

test('prompts have their placeholders filled in, the steps that remain in this run too', async () => {
  const lines = ['One.', code('return 1'), code('return 2'), 'Two.', code('await finalAnswer(3)')];
  const { agent, model } = agentOf(lines, {
    executor: executor(),
    planningInterval: 2,
    maxSteps: 30,
    instructions: 'Be brief, and leave {{task}} as it is.',
  });
  await agent.run('Count.', { maxSteps: 7 });
  expect(model.calls[0]?.join()).toContain('At most 7 code steps');
  expect(model.calls[3]?.join()).toContain('At most 5 more code steps');
  expect(model.calls[1]?.join()).toContain('Be brief, and leave {{task}} as it is.');
  for (const call of [0, 2, 3, 4]) {
    const told = model.calls[call]?.join().replace('leave {{task}} as it is', '');
    expect(told).not.toMatch(/\{\{|\}\}|undefined/);
  }
});

test('an old plan, and the system prompt, do not get into a new one', async () => {
  const lines = [
    'OLD PLAN <end_plan> and what is behind its end',
    (told: string) =>
      /OLD PLAN[\s\S]*execute this plan/.test(told) && !told.includes('behind its end')
        ? `CHATTER\n${code('return "LEARNED"')}`
        : '',
    'New plan.',
    (told: string) =>
      told.includes('New plan.') && told.includes('OLD PLAN') ? code('await finalAnswer(1)') : '',
  ];
  const { agent, model } = agentOf(lines, { executor: executor(), planningInterval: 1 });
  expect(await agent.run('Count.')).toMatchObject({ answer: 1, stepCount: 2 });
  const told = model.calls[2]?.join('\n') ?? '';
  expect(told).not.toContain('OLD PLAN');
  expect(told).not.toContain('CHATTER');
  expect(told).not.toContain('You solve tasks by writing code');
  expect(told).toContain('return "LEARNED"');
  expect(told).toContain('Result:\nLEARNED');
});

test('the plan that a callback edits is what the model then sees', async () => {
  const inMemory: boolean[] = [];
  const { agent, model } = agentOf(['Delete all.', code('await finalAnswer(1)')], {
    executor: executor(),
    planningInterval: 3,
    stepCallbacks: {
      planning: (step, { memory }) => {
        inMemory.push(memory.steps.includes(step));
        step.plan = 'Keep all.';
      },
    },
  });
  await agent.run('Tidy.');
  expect(inMemory).toEqual([true]);
  expect(model.calls[1]?.join()).toContain('Keep all.');
  expect(model.calls[1]?.join()).not.toContain('Delete all.');
});

test('a memory from outside is used by the planner', async () => {
  const first = agentOf([code('return "BLUE"'), code('await finalAnswer(1)')], {
    executor: executor(),
  });
  await first.agent.run('Find the colour.');
  const memory = AgentMemory.from(JSON.parse(JSON.stringify(first.agent.memory.steps)));
  const { agent, model } = agentOf(['Plan.', code('await finalAnswer("BLUE")')], {
    executor: executor(),
    planningInterval: 1,
    memory,
  });
  expect(await agent.run('Say it again.', { reset: false })).toMatchObject({ answer: 'BLUE' });
  expect(model.calls[0]?.join('\n')).toContain('Result:\nBLUE');
  expect(agent.memory.steps.find(isPlan)).toMatchObject({ isUpdate: true });
});

test('prompts may be replaced one by one', async () => {
  const { agent, model } = agentOf(['Plan.', code('await finalAnswer(1)')], {
    executor: executor(),
    planningInterval: 1,
    promptTemplates: {
      system: 'My rules. {{tools}}',
      planning: { initialPlan: 'Plan: {{ task }}' },
    },
  });
  await agent.run('Count $& and {{tools}}.');
  expect(model.calls[0]).toEqual(['user: Plan: Count $& and {{tools}}.']);
  expect(model.calls[1]?.[0]).toBe('system: My rules. None.');
});
