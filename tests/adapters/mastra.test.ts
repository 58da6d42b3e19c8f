import { createCodeTool, ToolRegistry } from '@glovebox/core';
import type { CodeToolResult } from '@glovebox/core';
import {
  createCodeModeTransport,
  fromMastraTool,
  toMastraCodeTool,
  toMastraTools,
} from '@glovebox/core/mastra';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { InMemoryStore } from '@mastra/core/storage';
import { createCodeMode, createTool } from '@mastra/core/tools';
import type { CodeModeToolResult } from '@mastra/core/tools';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { scriptedModel } from '../../examples/adapters/models/mastra.ts';
import { describeAdapter } from '../support/adapter-contract.ts';
import type { Answer, CallOptions, CodeOptions } from '../support/adapter-contract.ts';
import { RICH, setUpTools, useExecutor } from '../support/adapters.ts';
import type { Setup } from '../support/adapters.ts';
import { valueOf } from '../support/pools.ts';

const executor = useExecutor();

type Tools = NonNullable<ConstructorParameters<typeof Agent>[0]['tools']>;

/** An agent whose model calls one tool. */
function agentThatCalls(name: string, args: object, tools: Tools): Agent {
  const agent = new Agent({
    id: 'agent',
    name: 'agent',
    instructions: 'Go.',
    model: scriptedModel(name, args),
    tools,
  });
  // Runs that wait for a person are kept in its store.
  return new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false }).getAgent(
    'agent',
  );
}

async function callOf(
  tools: Tools,
  name: string,
  args: object,
  { valueIn, signal }: CallOptions = {},
): Promise<Answer> {
  const agent = agentThatCalls(name, args, tools);
  const options = { maxSteps: 3, ...(signal === undefined ? {} : { abortSignal: signal }) };
  const { text, steps } = await agent.generate('Go.', options);
  const result: unknown = steps[0]?.toolResults[0]?.payload.result;
  // Programs get nothing of a tool that has failed, and of wrong arguments what Mastra says of them.
  if (result === undefined || isRefusal(result)) return { text, failed: true };
  return { text, failed: false, values: [valueIn === undefined ? result : valueIn(result)] };
}

function isRefusal(result: unknown): boolean {
  return (
    typeof result === 'object' && result !== null && 'error' in result && result.error === true
  );
}

/** The value in what the code tool gives to programs. */
function valueOfRun(result: unknown): unknown {
  return valueOf((result as CodeToolResult).outcome);
}

/** Code in the code mode of Mastra, with this transport. */
async function runProgram(
  { dispatcher }: Setup,
  code: string,
  { wallMs = 10_000, signal }: Partial<CodeOptions> = {},
): Promise<CodeModeToolResult> {
  const transport = createCodeModeTransport({ executor: executor() });
  const tools = toMastraTools(dispatcher);
  const { tool } = createCodeMode({ tools, timeout: wallMs }, transport);
  const { values } = await callOf({ [tool.id]: tool }, tool.id, { code }, { signal });
  // Mastra has no type for it.
  return values?.[0] as CodeModeToolResult;
}

describeAdapter(executor, {
  tools: {
    describe: async (dispatcher) => {
      const { orders_total: total } = toMastraTools(dispatcher, { tools: ['orders.total'] });
      const schema = total?.inputSchema?.['~standard'].jsonSchema.input({ target: 'draft-07' });
      return { name: total?.id, description: total?.description, schema };
    },
    call: (dispatcher, name, args) => callOf(toMastraTools(dispatcher), name, args),
    errors: {
      thrown: /^RangeError: too much \(code E_RANGE\)$/,
      badArguments: /customer: .*number/,
    },
    approve: async (dispatcher, name, args, isApproved, onAsked) => {
      const agent = agentThatCalls(name, args, toMastraTools(dispatcher));
      const asked = await agent.generate('Go.');
      if (asked.finishReason === 'suspended') onAsked();
      const run = { runId: asked.runId ?? '', toolCallId: 'call-1' };
      const answer = isApproved
        ? await agent.approveToolCallGenerate(run)
        : await agent.declineToolCallGenerate(run);
      return answer.text;
    },
    refusal: /not approved/,
    asks: async (dispatcher, name, args) => {
      const agent = agentThatCalls(name, args, toMastraTools(dispatcher));
      const { finishReason } = await agent.generate('Go.');
      return finishReason === 'suspended';
    },
  },
  code: [
    {
      title: 'the code tool',
      nameOf: (name) => name,
      run: ({ codeTool }, code, { signal }) => {
        const tools = { run_code: toMastraCodeTool(codeTool) };
        return callOf(tools, 'run_code', { code }, { valueIn: valueOfRun, signal });
      },
      errors: {
        endless: /^Error: WALL_LIMIT: The run took longer than 300 ms\.$/,
        thrown: /^Error: RangeError: too much\ncode: E_RANGE\nat line 2, column 14/,
      },
      onAbort: 'resolves',
    },
    {
      title: 'code mode of Mastra with this transport',
      nameOf: (name) => `external_${name.replace('.', '_')}`,
      run: async (setup, code, options) => {
        const { success, result, error } = await runProgram(setup, code, options);
        if (success) return { failed: false, values: [result] };
        const { name, message, line = '' } = error ?? {};
        return { failed: true, text: `${name}: ${message} ${line}` };
      },
      errors: {
        endless: /^WALL_LIMIT: The run took longer than 300 ms\. $/,
        thrown: /^RangeError: too much \(code E_RANGE\) 2$/,
      },
      onAbort: 'resolves',
    },
  ],
});

describe('code mode of Mastra', () => {
  test('logs are lines', async () => {
    const code = "console.log('a', 1); return external_rich({ set: new Set([1]) })";
    const result = await runProgram(setUpTools(executor()), code);
    expect(result).toStrictEqual({ success: true, result: RICH, logs: ['a 1'] });
  });

  test.each([
    [
      'await external_orders_cancel({ customer: 1 })',
      { name: 'ToolCallError', message: expect.stringContaining('nobody can be asked'), line: 1 },
    ],
    ['const const', { name: 'SyntaxError', message: expect.any(String), line: 1 }],
  ])('a failure is told with its name and line: %s', async (code, error) => {
    const result = await runProgram(setUpTools(executor()), code);
    expect(result).toEqual({ success: false, error, logs: [] });
  });
});

describe("Mastra's tools in a registry", () => {
  test('are called by code, with schema, approval and errors', async () => {
    const registry = new ToolRegistry();
    const getWeather = createTool({
      id: 'get-weather',
      description: 'The weather.',
      inputSchema: z.object({ at: z.date() }),
      outputSchema: z.object({ celsius: z.number() }),
      requireApproval: ({ at }) => at.getTime() > 10,
      execute: async ({ at }, { abortSignal }) => {
        if (at.getTime() === 0) throw Object.assign(new RangeError('too early'), { code: 'E_0' });
        return { celsius: abortSignal instanceof AbortSignal ? at.getTime() : -1 };
      },
    });
    registry.register(fromMastraTool(getWeather));
    const codeTool = createCodeTool({ registry, executor: executor() });
    expect(codeTool.description).toContain('get_weather(args: { at: Date })');
    const { outcome } = await codeTool.execute({
      code: `return [
        await get_weather({ at: new Date(5) }),
        await get_weather({ at: new Date(0) }).catch(({ name, code }) => [name, code]),
        await get_weather({ at: 7 }).catch(({ code }) => code),
        await get_weather({ at: new Date(50) }).catch(({ code }) => code),
      ]`,
    });
    expect(outcome).toMatchObject({
      value: [{ celsius: 5 }, ['RangeError', 'E_0'], 'schema', 'denied'],
    });
  });

  test('a result that does not fit its schema is an error', async () => {
    const registry = new ToolRegistry();
    const wrong = createTool({
      id: 'wrong',
      description: 'Wrong.',
      outputSchema: z.object({ celsius: z.number() }),
      // Its result is wrong on purpose.
      execute: async () => ({ celsius: 'cold' }) as unknown as { celsius: number },
    });
    registry.register(fromMastraTool(wrong));
    const codeTool = createCodeTool({ registry, executor: executor() });
    const { text } = await codeTool.execute({ code: 'return wrong({})' });
    expect(text).toMatch(/^Error: TypeError: Tool output validation failed/);
  });
});
