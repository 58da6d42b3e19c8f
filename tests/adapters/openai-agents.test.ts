import { createCodeTool, Dispatcher, ToolRegistry } from '@glovebox/core';
import {
  fromOpenAiAgentsTool,
  toOpenAiAgentsCodeTool,
  toOpenAiAgentsTools,
} from '@glovebox/core/openai-agents';
import type { OpenAiAgentsTool } from '@glovebox/core/openai-agents';
import { Agent, RunContext, Runner, RunState, tool } from '@openai/agents';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { ScriptedModel } from '../../examples/adapters/models/openai-agents.ts';
import { CODE, RICH_TEXT, setUpTools, useExecutor } from '../support/adapters.ts';

const executor = useExecutor();
const runner = new Runner({ tracingDisabled: true });

function agentThatCalls(name: string, args: object, tools: OpenAiAgentsTool[]): Agent {
  return new Agent({ name: 'agent', model: new ScriptedModel(name, args), tools });
}

/** What an agent's model is told of a tool that it has called. */
async function callOf(
  tools: OpenAiAgentsTool[],
  name: string,
  args: object,
  signal?: AbortSignal,
): Promise<unknown> {
  const agent = agentThatCalls(name, args, tools);
  const result = await runner.run(agent, 'Go.', signal === undefined ? {} : { signal });
  return result.finalOutput;
}

describe('tools of a registry', () => {
  test('have name, description and schema', () => {
    const { dispatcher } = setUpTools(executor());
    const [total] = toOpenAiAgentsTools(dispatcher, { tools: ['orders.total'] });
    expect(total).toMatchObject({
      name: 'orders_total',
      description: 'The total of a customer.',
      parameters: { properties: { customer: { type: 'number' } }, required: ['customer'] },
      strict: false,
    });
  });

  test.each([
    ['orders_total', { customer: 4 }, '40'],
    ['rich', {}, RICH_TEXT],
    ['at', { time: '1970-01-01T00:00:01Z' }, '1000'],
    ['orders_pay', {}, 'RangeError: too much (code E_RANGE)'],
    ['orders_total', { customer: 'x' }, expect.stringMatching(/\/customer .*\(code schema\)$/)],
  ])('a model reads of %s(%o)', async (name, args, text) => {
    const { dispatcher } = setUpTools(executor());
    const output = await callOf(toOpenAiAgentsTools(dispatcher), name, args);
    expect(output).toEqual(text);
  });

  test.each([
    ['approves', 'cancelled', [{ tool: 'orders.cancel', args: { customer: 1 } }]],
    ['rejects', 'Tool execution was not approved.', []],
  ])(
    'a person %s by an interruption of the run, which can be saved',
    async (what, text, called) => {
      const { dispatcher, calls } = setUpTools(executor());
      const tools = toOpenAiAgentsTools(dispatcher);
      const agent = agentThatCalls('orders_cancel', { customer: 1 }, tools);
      const asked = await runner.run(agent, 'Go.');
      expect(calls).toEqual([]);
      const state = await RunState.fromString(agent, asked.state.toString());
      for (const interruption of state.getInterruptions()) {
        if (what === 'approves') state.approve(interruption);
        else state.reject(interruption);
      }
      const answer = await runner.run(agent, state);
      expect(answer.finalOutput).toBe(text);
      expect(calls).toEqual(called);
    },
  );

  test.each([
    [5, 1],
    [50, 0],
  ])('a function decides for %s whether a person is asked', async (amount, interruptions) => {
    const registry = new ToolRegistry();
    registry.register({
      name: 'pay',
      inputSchema: z.object({ amount: z.number() }),
      needsApproval: ({ amount: given }) => given < 10,
      execute: () => 'paid',
    });
    const agent = agentThatCalls(
      'pay',
      { amount },
      toOpenAiAgentsTools(new Dispatcher({ registry })),
    );
    const result = await runner.run(agent, 'Go.');
    expect(result.interruptions).toHaveLength(interruptions);
  });

  test("whoever calls a tool outside of a run is for the dispatcher's approve", async () => {
    const { dispatcher, calls } = setUpTools(executor());
    const [cancel] = toOpenAiAgentsTools(dispatcher, { tools: ['orders.cancel'] });
    const text = await cancel?.invoke(new RunContext(), '{"customer":1}');
    expect(text).toMatch(/needs approval.*\(code denied\)$/);
    expect(calls).toEqual([]);
  });
});

async function runCode(code: string, wallMs = 10_000): Promise<unknown> {
  const { codeTool } = setUpTools(executor(), {}, { wallMs });
  return callOf([toOpenAiAgentsCodeTool(codeTool)], 'run_code', { code });
}

describe('the code tool', () => {
  test('three tools run in parallel', async () => {
    const text = await runCode(CODE.parallel);
    expect(text).toBe('Result:\n[ 3, 3, 3 ]');
  });

  test('shows a model what JSON does not have', async () => {
    expect(await runCode(CODE.rich)).toBe(`Result:\n${RICH_TEXT}`);
  });

  test.each([
    [CODE.endless, /^Error: WALL_LIMIT: The run took longer than 300 ms\.$/],
    [CODE.fails, /^Error: RangeError: too much\ncode: E_RANGE\nat line 2, column 14/],
  ])('a failure is what the model is told: %s', async (code, text) => {
    expect(await runCode(code, 300)).toMatch(text);
  });

  test('an abort stops the guest and its tools', async () => {
    const { codeTool, aborted, waiting } = setUpTools(executor());
    const abort = new AbortController();
    const tools = [toOpenAiAgentsCodeTool(codeTool)];
    const call = callOf(tools, 'run_code', { code: CODE.waits }, abort.signal);
    await waiting;
    abort.abort();
    expect(await aborted).toBeInstanceOf(DOMException);
    await expect(call).rejects.toThrow(/abort/i);
  });
});

describe('tools of OpenAI Agents in a registry', () => {
  test('are called by code, with schema, approval and errors', async () => {
    const registry = new ToolRegistry();
    const getWeather = tool({
      name: 'getWeather',
      description: 'The weather.',
      parameters: z.object({ place: z.string() }),
      errorFunction: null,
      needsApproval: async (_context, { place }) => place === 'Rome',
      execute: ({ place }, _context, details) => {
        if (place === '') throw Object.assign(new RangeError('nowhere'), { code: 'E_0' });
        return { celsius: place.length, signal: details?.signal instanceof AbortSignal };
      },
    });
    registry.register(fromOpenAiAgentsTool(getWeather));
    const codeTool = createCodeTool({ registry, executor: executor() });
    expect(codeTool.description).toContain('get_weather(args: { place: string })');
    const { outcome } = await codeTool.execute({
      code: `return [
        await get_weather({ place: 'Oslo' }),
        await get_weather({ place: '' }).catch(({ name, code }) => [name, code]),
        await get_weather({ place: 7 }).catch(({ code }) => code),
        await get_weather({ place: 'Rome' }).catch(({ code }) => code),
      ]`,
    });
    expect(outcome).toMatchObject({
      value: [{ celsius: 4, signal: true }, ['RangeError', 'E_0'], 'schema', 'denied'],
    });
  });
});
