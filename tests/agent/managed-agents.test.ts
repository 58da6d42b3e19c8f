import { ToolRegistry } from '@glovebox/core';
import type { ApprovalRequest } from '@glovebox/core';
import { CodeAgent } from '@glovebox/core/agent';
import { expect, test } from 'vitest';

import { useExecutor } from '../support/adapters.ts';
import { agentOf, code, silentModel } from '../support/agent.ts';
import { counted } from '../support/dispatch.ts';

const executor = useExecutor();

const HELPER = { name: 'helper', description: 'Looks things up.' };

/** Gives the number that the task names, in two steps. */
function line(told: string): string {
  const [, n = ''] = /Give (\d+)\./.exec(told) ?? [];
  return told.includes('Observation')
    ? code('await finalAnswer(mine)')
    : code(`const mine = ${n}; return mine`);
}

const fails = (errorCode: string): unknown => expect.objectContaining({ code: errorCode });

test('an agent is called like a function, with values both ways', async () => {
  const helper = agentOf([code('await finalAnswer(new Set([...rows, 3]))')], {
    ...HELPER,
    executor: executor(),
  });
  const { agent, model } = agentOf(
    [code('await finalAnswer(await helper({ task: "Add 3.", variables: { rows: [1, 2] } }))')],
    { executor: executor(), managedAgents: [helper.agent] },
  );
  const result = await agent.run('Go.');
  expect(result.answer).toEqual(new Set([1, 2, 3]));
  // Two calls of 10 + 5 tokens, one of each model.
  expect(result.usage).toEqual({ inputTokens: 20, outputTokens: 10 });
  expect(model.calls[0]?.[0]).toContain('/** Looks things up. */');
  expect(helper.model.calls[0]?.join('\n')).toMatch(/You are the agent helper\.[\s\S]*Add 3\./);
});

test('calls in parallel are runs of their own', async () => {
  const helper = agentOf([line, line, line, line, line, line], {
    ...HELPER,
    executor: executor(),
  });
  const { agent } = agentOf(
    [
      code(
        'await finalAnswer(await Promise.all([1, 2, 3].map((n) => helper({ task: `Give ${n}.` }))))',
      ),
    ],
    { executor: executor(), managedAgents: [helper.agent] },
  );
  expect(await agent.run('Go.')).toMatchObject({ answer: [1, 2, 3] });
  expect(helper.agent.memory.steps).toEqual([]);
});

test("the caller's clock stands still while another agent works", async () => {
  const wait = 'await new Promise((resolve) => setTimeout(resolve, 500));';
  const helper = agentOf([code(`${wait} await finalAnswer(1)`)], {
    ...HELPER,
    executor: executor(),
  });
  const { agent } = agentOf([code('await finalAnswer(await helper({ task: "Wait." }))')], {
    executor: executor(),
    managedAgents: [helper.agent],
    limits: { wallMs: 400 },
  });
  expect(await agent.run('Go.')).toMatchObject({ answer: 1 });
});

test('an interruption stops the agents that were called', async () => {
  const begun = Promise.withResolvers<void>();
  const model = silentModel();
  const { doGenerate } = model;
  model.doGenerate = (options) => {
    begun.resolve();
    return doGenerate(options);
  };
  const helper = new CodeAgent({ ...HELPER, model, executor: executor() });
  const { agent } = agentOf([code('await helper({ task: "Wait." })')], {
    executor: executor(),
    managedAgents: [helper],
  });
  const run = agent.run('Go.');
  await begun.promise;
  agent.interrupt('enough');
  expect(await run).toMatchObject({ reason: 'interrupted', cause: 'enough' });
  expect(model.doGenerateCalls[0]?.abortSignal?.aborted).toBe(true);
});

test('budgets hold over all agents', async () => {
  const work = counted(() => 1);
  const helper = agentOf(
    [code('await work(); await work(); await finalAnswer(1)'), code('await finalAnswer("over")')],
    { ...HELPER, executor: executor(), tools: [work] },
  );
  const { agent } = agentOf(
    [code('await work(); await finalAnswer(await helper({ task: "Work." }))')],
    { executor: executor(), managedAgents: [helper.agent], tools: [work] },
  );
  expect(await agent.run('Go.', { maxToolCalls: 3 })).toMatchObject({ answer: 'over' });
  // One of three calls was that of the agent itself.
  expect(work.calls).toHaveLength(2);

  const talker = agentOf([code('return 1'), code('return 2')], {
    ...HELPER,
    executor: executor(),
  });
  const caller = agentOf([code('await helper({ task: "Talk." })')], {
    executor: executor(),
    managedAgents: [talker.agent],
  });
  const result = await caller.agent.run('Go.', { maxTokens: 40 });
  expect(result).toMatchObject({ reason: 'token_budget', usage: { inputTokens: 30 } });
  expect(talker.model.calls).toHaveLength(2);
});

test('what an agent may do a person is asked by the outermost one', async () => {
  const pay = counted(() => 'paid', { name: 'pay', needsApproval: true });
  const helper = agentOf([code('await finalAnswer(await pay({ amount: 1 }))')], {
    ...HELPER,
    executor: executor(),
    tools: [pay],
  });
  const asked: Pick<ApprovalRequest, 'tool' | 'within'>[] = [];
  const { agent } = agentOf([code('await finalAnswer(await helper({ task: "Pay." }))')], {
    executor: executor(),
    managedAgents: [helper.agent],
    approve: ({ tool, within }) => {
      asked.push({ tool, within });
      return { decision: 'approve' };
    },
  });
  expect(await agent.run('Go.')).toMatchObject({ answer: 'paid' });
  expect(asked).toEqual([{ tool: 'pay', within: ['helper'] }]);
});

test('an agent without an answer is an error for the code', async () => {
  const helper = agentOf([code('return 1'), 'About 1.'], {
    ...HELPER,
    executor: executor(),
    maxSteps: 1,
  });
  const source = `
    try { await helper({ task: "Count." }) }
    catch ({ name, code, details }) { await finalAnswer({ name, code, details }) }`;
  const { agent } = agentOf([code(source)], {
    executor: executor(),
    managedAgents: [helper.agent],
  });
  expect(await agent.run('Go.')).toMatchObject({
    answer: { name: 'AgentError', code: 'max_steps', details: 'About 1.' },
  });
});

test('an agent is a tool for any registry', () => {
  const { agent } = agentOf([], { ...HELPER, executor: executor() });
  const registry = new ToolRegistry();
  expect(registry.register(agent.asTool())).toMatchObject(HELPER);
});

test('agents that cannot be called are refused', () => {
  const nameless = agentOf([], { executor: executor() }).agent;
  const helper = agentOf([], { ...HELPER, executor: executor() }).agent;
  const make =
    (managedAgents: CodeAgent[], tools = [counted(() => 1)]) =>
    () =>
      agentOf([], { executor: executor(), managedAgents, tools });
  expect(make([nameless])).toThrow(fails('INVALID_OPTIONS'));
  expect(make([helper, helper])).toThrow(fails('DUPLICATE_TOOL'));
  expect(make([helper], [counted(() => 1, { name: 'helper' })])).toThrow(fails('DUPLICATE_TOOL'));
});
