import { createCodeTool, ToolRegistry } from '@glovebox/core';
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
import { describeAdapter } from '../support/adapter-contract.ts';
import type { Answer } from '../support/adapter-contract.ts';
import { setUpTools, useExecutor } from '../support/adapters.ts';

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
): Promise<Answer> {
  const agent = agentThatCalls(name, args, tools);
  const result = await runner.run(agent, 'Go.', signal === undefined ? {} : { signal });
  return { text: String(result.finalOutput) };
}

describeAdapter(executor, {
  tools: {
    describe: async (dispatcher) => {
      const [total] = toOpenAiAgentsTools(dispatcher, { tools: ['orders.total'] });
      return { name: total?.name, description: total?.description, schema: total?.parameters };
    },
    call: (dispatcher, name, args) => callOf(toOpenAiAgentsTools(dispatcher), name, args),
    errors: {
      thrown: /^RangeError: too much \(code E_RANGE\)$/,
      badArguments: /\/customer .*\(code schema\)$/,
    },
    approve: async (dispatcher, name, args, isApproved, onAsked) => {
      const agent = agentThatCalls(name, args, toOpenAiAgentsTools(dispatcher));
      const asked = await runner.run(agent, 'Go.');
      // The run that waits can be saved.
      const state = await RunState.fromString(agent, asked.state.toString());
      for (const interruption of state.getInterruptions()) {
        onAsked();
        if (isApproved) state.approve(interruption);
        else state.reject(interruption);
      }
      const answer = await runner.run(agent, state);
      return String(answer.finalOutput);
    },
    refusal: /^Tool execution was not approved\.$/,
    asks: async (dispatcher, name, args) => {
      const agent = agentThatCalls(name, args, toOpenAiAgentsTools(dispatcher));
      const { interruptions } = await runner.run(agent, 'Go.');
      return interruptions.length === 1;
    },
  },
  code: [
    {
      title: 'the code tool',
      nameOf: (name) => name,
      run: ({ codeTool }, code, { signal }) =>
        callOf([toOpenAiAgentsCodeTool(codeTool)], 'run_code', { code }, signal),
      errors: {
        endless: /^Error: WALL_LIMIT: The run took longer than 300 ms\.$/,
        thrown: /^Error: RangeError: too much\ncode: E_RANGE\nat line 2, column 14/,
      },
      onAbort: 'rejects',
    },
  ],
});

test('tools of a registry are not strict', () => {
  const { dispatcher } = setUpTools(executor());
  const tools = toOpenAiAgentsTools(dispatcher);
  expect(tools.map(({ strict }) => strict)).toEqual(tools.map(() => false));
});

test("whoever calls a tool outside of a run is for the dispatcher's approve", async () => {
  const { dispatcher, calls } = setUpTools(executor());
  const [cancel] = toOpenAiAgentsTools(dispatcher, { tools: ['orders.cancel'] });
  const text = await cancel?.invoke(new RunContext(), '{"customer":1}');
  expect(text).toMatch(/needs approval.*\(code denied\)$/);
  expect(calls).toEqual([]);
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
