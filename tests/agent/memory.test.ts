import { AgentMemory } from '@glovebox/core/agent';
import type { MemoryStep } from '@glovebox/core/agent';
import { deserialize, serialize } from '@glovebox/serializer';
import { expect, test } from 'vitest';

import { useExecutor } from '../support/adapters.ts';
import { agentOf, code } from '../support/agent.ts';

const executor = useExecutor();

const usage = { inputTokens: 1, outputTokens: 2 };
const asked = { modelInput: [], modelOutput: 'I say it.', usage, startedAt: 0, durationMs: 3 };

/** One step of each kind. */
const STEPS: MemoryStep[] = [
  { type: 'task', task: 'Count.', variables: ['rows'] },
  { type: 'planning', plan: 'Look, then count.', isUpdate: false, ...asked },
  {
    type: 'action',
    stepNumber: 1,
    code: 'return 1',
    observation: 'Result:\n1',
    isFinal: false,
    ...asked,
  },
  {
    type: 'action',
    stepNumber: 2,
    observation: 'Error: none',
    error: { code: 'NO_CODE', message: 'none' },
    isFinal: false,
    ...asked,
  },
  { type: 'final', reason: 'answered', answer: new Map([['a', 1n]]) },
];

test.each([
  ['task', 0, 1, 1],
  ['planning', 1, 2, 0],
  ['action', 2, 2, 2],
  ['action without code', 3, 2, 2],
  ['final', 4, 0, 0],
])('a step is so many messages: %s', (_kind, index, full, summary) => {
  const memory = AgentMemory.from([STEPS[index]]);
  expect(memory.toMessages()).toHaveLength(full);
  expect(memory.toMessages('summary')).toHaveLength(summary);
});

test('the system prompt is one message, and not in a summary', () => {
  const memory = AgentMemory.from([]);
  memory.systemPrompt = 'Rules.';
  expect(memory.toMessages()).toEqual([{ role: 'system', content: 'Rules.' }]);
  expect(memory.toMessages('summary')).toEqual([]);
});

test('what a run leaves is plain data, and comes back as it was', async () => {
  const lines = [
    'Plan.',
    code('return 1'),
    code('await finalAnswer(new Map([["a", new Date(5)]]))'),
  ];
  const { agent } = agentOf(lines, { executor: executor(), planningInterval: 5 });
  await agent.run('Count.', { variables: { rows: [1] } });
  const { steps } = agent.memory;
  expect(steps).toHaveLength(5);
  const copy = AgentMemory.from(deserialize(serialize(agent.memory.fullSteps())));
  expect(copy.steps).toEqual(steps);
  expect(copy.steps[1]).toMatchObject({
    type: 'planning',
    modelInput: [{ role: 'user' }],
    modelOutput: 'Plan.',
    usage: { inputTokens: 10, outputTokens: 5 },
  });
});

test('succinct steps are without what models were told, full ones with it', async () => {
  const { agent } = agentOf([code('await finalAnswer(1)')], { executor: executor() });
  await agent.run('Count.');
  const { memory } = agent;
  expect(memory.fullSteps()[1]).toHaveProperty('modelInput');
  expect(memory.succinctSteps()[1]).not.toHaveProperty('modelInput');
  expect(AgentMemory.from(memory.succinctSteps()).steps).toHaveLength(3);
  expect(memory.steps[1]).toHaveProperty('modelInput');
});

test('the full code is that of all steps which had some', () => {
  expect(AgentMemory.from([...STEPS, ...STEPS]).returnFullCode()).toBe('return 1\n\nreturn 1');
});

test('a replay shows all steps, and nothing in it can steer the terminal', () => {
  const memory = AgentMemory.from(STEPS);
  const hostile = memory.steps[2];
  if (hostile?.type === 'action') {
    hostile.observation = '\u001B]0;title\u0007\u001B[2Jcleared\u009B31m\r\nnext\u202Eline\u0008';
  }
  const text = memory.replay();
  expect(text).toBe(`== Task
Count.
-- variables
rows

== Plan (0.0 s, 1 + 2 tokens)
Look, then count.

== Step 1 (0.0 s, 1 + 2 tokens)
-- code
return 1
-- observation
cleared
next line

== Step 2 (0.0 s, 1 + 2 tokens)
-- output
I say it.
-- observation
Error: none

== Answer
Map(1) { 'a' => 1n }
`);
});

test('a detailed replay shows what models were told', async () => {
  const { agent } = agentOf([code('await finalAnswer(1)')], { executor: executor() });
  await agent.run('Count the stars.');
  expect(agent.memory.replay()).not.toContain('input as');
  expect(agent.memory.replay({ detailed: true })).toContain(
    '-- input as user\nTask:\nCount the stars.',
  );
});

test.each([
  ['no list', {}, ''],
  ['a step of no kind', [{ type: 'other' }], '0.type'],
  ['a step that lacks a field', [{ type: 'task', task: 'x' }], '0.variables'],
  ['a step with one too many', [{ type: 'task', task: 'x', variables: [], system: 'y' }], '0'],
  [
    'a message of no role',
    [{ ...STEPS[1], modelInput: [{ role: 'tool', content: '' }] }],
    '0.modelInput.0.role',
  ],
])('what is no memory is refused: %s', (_what, data, path) => {
  expect(() => AgentMemory.from(data)).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS', path }),
  );
});
