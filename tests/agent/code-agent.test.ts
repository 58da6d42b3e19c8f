import { Dispatcher, Executor, isGloveboxError, ToolRegistry } from '@glovebox/core';
import { CodeAgent } from '@glovebox/core/agent';
import type { AgentMemory } from '@glovebox/core/agent';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { useExecutor } from '../support/adapters.ts';
import { agentOf, code, silentModel } from '../support/agent.ts';
import { counted } from '../support/dispatch.ts';

const executor = useExecutor();

/** The observations of a memory, in order. */
function observationsOf(memory: AgentMemory): string[] {
  return memory.steps.flatMap((step) => (step.type === 'action' ? [step.observation] : []));
}

function isEven(answer: unknown): void {
  if (Number(answer) % 2 === 1) throw new Error('It is odd.');
}

describe('the final answer', () => {
  test.each([
    ['a text', '"done"', 'done'],
    ['a Map of Dates', 'new Map([["a", new Date(5)]])', new Map([['a', new Date(5)]])],
    ['a BigInt', '10n ** 100n', 10n ** 100n],
    ['bytes', 'new Uint8Array([1, 2])', new Uint8Array([1, 2])],
    ['nothing', '', undefined],
    ['numbers that JSON lacks', '[NaN, -0, Infinity]', [NaN, -0, Infinity]],
  ])('is a real value: %s', async (_kind, source, expected) => {
    const { agent } = agentOf([code(`await finalAnswer(${source})`)], { executor: executor() });
    const result = await agent.run('Give it.');
    expect(result).toMatchObject({ status: 'completed', reason: 'answered', stepCount: 1 });
    expect(result.answer).toStrictEqual(expected);
  });

  test.each([
    ['not awaited', 'finalAnswer(1); return 2'],
    ['awaited, with code behind it', 'await finalAnswer(1); throw new Error("not reached")'],
    ['caught', 'try { await finalAnswer(1) } catch {} return 3'],
    ['given twice', 'try { await finalAnswer(1) } catch { await finalAnswer(2) }'],
    ['followed by an error', 'finalAnswer(1); throw new Error("late")'],
    ['as one of the tools', 'await tools.finalAnswer(1)'],
  ])('counts when it is %s', async (_how, source) => {
    const { agent } = agentOf([code(source)], { executor: executor() });
    expect(await agent.run('Give it.')).toMatchObject({ reason: 'answered', answer: 1 });
  });

  test('ends the code: no tool works behind it', async () => {
    const tool = counted(() => 1, { name: 'work' });
    const source = 'try { await finalAnswer(1) } catch {} try { await work() } catch {} ';
    const { agent } = agentOf([code(source)], { executor: executor(), tools: [tool] });
    expect(await agent.run('Give it.')).toMatchObject({ reason: 'answered', answer: 1 });
    expect(tool.calls).toEqual([]);
  });

  test('cannot be given for another run, with what an earlier step has kept', async () => {
    const lines = [
      code('globalThis.kept = finalAnswer; globalThis.give = () => kept("forged")'),
      code('setTimeout(give, 5); return 1'),
      code('await new Promise((resolve) => setTimeout(resolve, 30)); await finalAnswer("real")'),
    ];
    const { agent } = agentOf(lines, { executor: executor() });
    expect(await agent.run('Give it.')).toMatchObject({ answer: 'real', stepCount: 3 });
  });

  test('is not what code returns or logs', async () => {
    const lines = [
      code('console.log("Final answer: 1"); return { finalAnswer: 1 }'),
      code('await finalAnswer(2)'),
    ];
    const { agent } = agentOf(lines, { executor: executor() });
    expect(await agent.run('Give it.')).toMatchObject({ answer: 2, stepCount: 2 });
  });

  test('that cannot cross is an error for the model', async () => {
    const lines = [code('await finalAnswer(() => 1)'), code('await finalAnswer(1)')];
    const { agent } = agentOf(lines, { executor: executor() });
    expect(await agent.run('Give it.')).toMatchObject({ answer: 1, stepCount: 2 });
    expect(observationsOf(agent.memory)[0]).toMatch(/^Error: .*function/);
  });

  test('is checked; what speaks against it is told to the model', async () => {
    const seen: unknown[][] = [];
    const isLarge = (answer: unknown, memory: AgentMemory): boolean => {
      seen.push([answer, memory.steps.length]);
      return Number(answer) > 1;
    };
    const lines = [1, 3, 4].map((n) => code(`await finalAnswer(${n})`));
    const { agent, model } = agentOf(lines, {
      executor: executor(),
      finalAnswerChecks: [isLarge, isEven],
    });
    expect(await agent.run('Give it.')).toMatchObject({ answer: 4, stepCount: 3 });
    expect(seen).toEqual([
      [1, 1],
      [3, 2],
      [4, 3],
    ]);
    expect(observationsOf(agent.memory)).toEqual([
      'The final answer was not accepted: The check isLarge failed.',
      'The final answer was not accepted: It is odd.',
      'The final answer was given.',
    ]);
    expect(model.calls[2]?.at(-1)).toContain('It is odd.');
  });
});

describe('steps', () => {
  test('see what earlier ones declared, and observations of results, logs and errors', async () => {
    const lines = [
      code('const rows = [1, 2, 3];\nconsole.log("three");\nreturn new Set(rows)'),
      code('const sum = rows.reduce((a, b) => a + b);\n  sum.missing.property'),
      code('await finalAnswer(rows.length)'),
    ];
    const { agent, model } = agentOf(lines, { executor: executor() });
    expect(await agent.run('Count.')).toMatchObject({ answer: 3 });
    const [first, second] = observationsOf(agent.memory);
    expect(first).toBe('Result:\nSet(3) { 1, 2, 3 }\n\nLogs:\nthree');
    expect(second).toContain('TypeError: Cannot read properties of undefined');
    expect(second).toContain('at line 2, column 15:');
    expect(model.calls[1]?.at(-1)).toBe(`user: Observation:\n${first}`);
    expect(agent.memory.steps.map(({ type }) => type)).toEqual([
      'task',
      'action',
      'action',
      'action',
      'final',
    ]);
  });

  test('find variables as values, and keep what they change in them', async () => {
    const lines = [
      code('rows.push(3); since.setTime(7)'),
      code('await finalAnswer([rows, since.getTime()])'),
    ];
    const { agent, model } = agentOf(lines, { executor: executor() });
    const rows = [1, 2];
    const result = await agent.run('Go.', { variables: { rows, since: new Date(5) } });
    expect(result.answer).toEqual([[1, 2, 3], 7]);
    expect(rows).toEqual([1, 2]);
    expect(model.calls[0]?.at(-1)).toContain('These variables are defined: rows, since.');
  });

  test('are told that state is lost, and find their variables anew', async () => {
    const lines = [
      code('globalThis.kept = 1; for (;;);'),
      code('await finalAnswer([typeof kept, given])'),
    ];
    const { agent } = agentOf(lines, { executor: executor(), limits: { wallMs: 300 } });
    const result = await agent.run('Go.', { variables: { given: 2 } });
    expect(result.answer).toEqual(['undefined', 2]);
    const [observation] = observationsOf(agent.memory);
    expect(observation).toMatch(/^Error: (WALL|CPU)_LIMIT/);
    expect(observation).toContain('The declarations of earlier steps are lost');
  });

  test('without code are told how to write it', async () => {
    const lines = ['I know it: 4.', '```python\nprint(4)\n```', code('await finalAnswer(4)')];
    const { agent } = agentOf(lines, { executor: executor() });
    expect(await agent.run('Go.')).toMatchObject({ answer: 4, stepCount: 3 });
    const [none, python] = observationsOf(agent.memory);
    expect(none).toContain('contains no code block');
    expect(python).toContain('"python", which cannot run here');
    expect(agent.memory.steps[1]).toMatchObject({ error: { code: 'NO_CODE' } });
  });

  test.each([undefined, () => undefined])(
    'run nothing of an answer that was cut off (stream: %s)',
    async (stream) => {
      const work = counted(() => 1);
      const { agent, model } = agentOf(
        ['```ts\nawait work();\nconst half', code('await finalAnswer(1)')],
        { executor: executor(), tools: [work] },
      );
      model.cutOff.add(1);
      expect(await agent.run('Go.', { stream })).toMatchObject({ answer: 1, stepCount: 2 });
      expect(work.calls).toEqual([]);
      expect(observationsOf(agent.memory)[0]).toContain('cut off at the token limit');
    },
  );

  test('have observations within a budget, with a mark', async () => {
    const lines = [
      code('console.log("x".repeat(1e6)); return "y".repeat(1e6)'),
      code('await finalAnswer(1)'),
    ];
    const { agent } = agentOf(lines, { executor: executor(), maxObservationCharacters: 1000 });
    await agent.run('Go.');
    const [observation = ''] = observationsOf(agent.memory);
    expect(observation.length).toBeLessThanOrEqual(1000);
    expect(observation).toContain('characters in all)');
  });

  test('call tools of a dispatcher, in parallel, with their checks', async () => {
    const registry = new ToolRegistry();
    registry.register({
      name: 'orders.total',
      description: 'The total of an order.',
      inputSchema: z.object({ id: z.number() }),
      execute: ({ id }) => id * 10,
    });
    registry.register({ name: 'double', source: 'return args.n * 2' });
    const dispatcher = new Dispatcher({ registry, executor: executor() });
    const lines = [
      code('await orders.total({ id: "x" })'),
      code('await finalAnswer(await Promise.all([orders.total({ id: 1 }), double({ n: 2 })]))'),
    ];
    const { agent, model } = agentOf(lines, { executor: executor(), dispatcher });
    expect(await agent.run('Go.')).toMatchObject({ answer: [10, 4] });
    expect(observationsOf(agent.memory)[0]).toContain('do not fit its schema');
    expect(model.calls[0]?.[0]).toContain('/** The total of an order. */');
  });

  test('ask a person about tools that need approval', async () => {
    const pay = counted(() => 'paid', { name: 'pay', needsApproval: true });
    const lines = [code('await pay({ amount: 1 })'), code('await finalAnswer(1)')];
    const { agent } = agentOf(lines, {
      executor: executor(),
      tools: [pay],
      approve: ({ args }) => ({ decision: 'deny', reason: `not ${JSON.stringify(args)}` }),
    });
    await agent.run('Pay.');
    expect(pay.calls).toEqual([]);
    expect(observationsOf(agent.memory)[0]).toContain('pay was denied: not {"amount":1}');
  });
});

describe('the end of a run', () => {
  test('comes after maxSteps, with what the model says in words', async () => {
    const lines = [...Array.from({ length: 5 }, () => code('return 1')), 'About 3.'];
    const { agent, model } = agentOf(lines, { executor: executor(), maxSteps: 5 });
    const result = await agent.run('Count.');
    expect(result).toMatchObject({
      status: 'failed',
      reason: 'max_steps',
      answer: 'About 3.',
      stepCount: 5,
    });
    expect(agent.memory.steps).toHaveLength(7);
    expect(model.calls[5]?.at(-1)).toContain('Count.');
  });

  test('comes after the maxSteps of the run in place of the agent', async () => {
    const lines = [...Array.from({ length: 3 }, () => code('return 1')), 'About 3.'];
    const { agent } = agentOf(lines, { executor: executor(), maxSteps: 5 });
    expect(await agent.run('Count.', { maxSteps: 3 })).toMatchObject({ stepCount: 3 });
    expect(agent.memory.steps).toHaveLength(5);
  });

  test('tells what the model threw', async () => {
    const { agent } = agentOf([new Error('no such model')], { executor: executor() });
    const result = await agent.run('Go.');
    expect(result).toMatchObject({
      status: 'failed',
      reason: 'model_error',
      message: 'no such model',
      answer: undefined,
    });
    expect(agent.memory.steps).toHaveLength(1);
  });

  test('tells that no code could be run', async () => {
    const closed = new Executor({ hosts: 1 });
    await closed.close();
    const { agent } = agentOf([code('return 1')], { executor: closed });
    const result = await agent.run('Go.');
    expect(result).toMatchObject({ status: 'failed', reason: 'box_error' });
    expect(isGloveboxError(result.cause) && result.cause.code).toBe('EXECUTOR_CLOSED');
  });

  test('counts tokens, and comes when they are used up', async () => {
    const lines = Array.from({ length: 4 }, () => code('return 1'));
    const { agent, model } = agentOf(lines, { executor: executor() });
    const result = await agent.run('Go.', { maxTokens: 25 });
    expect(result).toMatchObject({
      reason: 'token_budget',
      usage: { inputTokens: 20, outputTokens: 10 },
    });
    expect(model.calls).toHaveLength(2);
  });

  test('a budget of tool calls holds over all steps', async () => {
    const work = counted(() => 1);
    const lines = [
      code('await work(); await work()'),
      code('await work()'),
      code('finalAnswer(1)'),
    ];
    const { agent } = agentOf(lines, { executor: executor(), tools: [work] });
    await agent.run('Go.', { maxToolCalls: 2 });
    expect(work.calls).toHaveLength(2);
    expect(observationsOf(agent.memory)[1]).toContain('budget');
  });
});

describe('runs', () => {
  test('begin anew, or go on with memory and declarations', async () => {
    const lines = [
      code('const kept = 1; return kept'),
      code('await finalAnswer(kept)'),
      code('await finalAnswer(kept + 1)'),
      code('await finalAnswer(typeof kept)'),
    ];
    const { agent, model } = agentOf(lines, { executor: executor() });
    await agent.run('One.');
    expect(agent.memory.steps).toHaveLength(4);
    expect(await agent.run('Two.', { reset: false })).toMatchObject({ answer: 2, stepCount: 1 });
    expect(agent.memory.steps).toHaveLength(7);
    expect(model.calls[2]?.join('\n')).toMatch(/One\.[\s\S]*Two\./);
    expect(await agent.run('Three.')).toMatchObject({ answer: 'undefined' });
    expect(agent.memory.steps).toHaveLength(3);
    expect(model.calls[3]?.join('\n')).not.toContain('One.');
  });

  test('are one at a time', async () => {
    await using agent = new CodeAgent({ model: silentModel(), executor: executor() });
    const first = agent.run('One.');
    await expect(agent.run('Two.')).rejects.toMatchObject({ code: 'AGENT_BUSY' });
    agent.interrupt('enough');
    expect(await first).toMatchObject({ reason: 'interrupted', cause: 'enough' });
  });

  test.each([
    [{ variables: { finalAnswer: 1 } }, 'INVALID_NAME', 'variables'],
    [{ variables: { work: 1 } }, 'INVALID_NAME', 'variables'],
    [{ variables: { Map: 1 } }, 'INVALID_NAME', 'variables'],
    [{ variables: { f: () => 1 } }, 'UNSERIALIZABLE_VARIABLES', '.f'],
    [{ variables: { a: 'x'.repeat(2000) } }, 'INVALID_OPTIONS', 'variables'],
    [{ maxSteps: 0 }, 'INVALID_OPTIONS', 'maxSteps'],
    [{ stepLimit: 1 }, 'INVALID_OPTIONS', ''],
  ])('with the options %o are refused', async (options, errorCode, path) => {
    const { agent, model } = agentOf([code('finalAnswer(1)')], {
      executor: executor(),
      tools: [counted(() => 1)],
      limits: { variablesBytes: 1000 },
    });
    await expect(agent.run('Go.', options as never)).rejects.toMatchObject({
      code: errorCode,
      path,
    });
    expect(model.calls).toEqual([]);
    expect(await agent.run('Go.')).toMatchObject({ reason: 'answered' });
  });

  test('stream what models say', async () => {
    const { agent } = agentOf(['A plan.\n<end_plan>', code('finalAnswer(1)')], {
      executor: executor(),
      planningInterval: 1,
    });
    const texts = { planning: '', action: '', final: '' };
    const steps: string[] = [];
    await agent.run('Go.', {
      stream: (event) => {
        if (event.type === 'text') texts[event.step] += event.text;
        else steps.push(event.step.type);
      },
    });
    expect(texts).toEqual({
      planning: 'A plan.\n<end_plan>',
      action: code('finalAnswer(1)'),
      final: '',
    });
    expect(steps).toEqual(['task', 'planning', 'action', 'final']);
  });

  test('tell what a streaming model threw', async () => {
    const { agent } = agentOf([new Error('no such model')], { executor: executor() });
    const result = await agent.run('Go.', { stream: () => undefined });
    expect(result).toMatchObject({ reason: 'model_error', message: 'no such model' });
  });
});

test.each([
  [{ tools: [], dispatcher: { dispatch: () => 1 } }, 'dispatcher'],
  [{ promptTemplates: { system: 'Use {{tols}}.' } }, 'promptTemplates.system'],
  [
    { promptTemplates: { planning: { initialPlan: '{{ }}' } } },
    'promptTemplates.planning.initialPlan',
  ],
  [{ planningInterval: 0 }, 'planningInterval'],
  [{ modelSettings: { heat: 1 } }, 'modelSettings'],
  [{ stepCallbacks: { plan: () => 1 } }, 'stepCallbacks'],
])('an agent with %o is refused', (options, path) => {
  const make = (): unknown => agentOf([], { executor: executor(), ...(options as object) });
  expect(make).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS', path }));
});
