import { createCodeTool, Dispatcher, ToolRegistry } from '@glovebox/core';
import type { CodeToolResult } from '@glovebox/core';
import {
  AgentToolError,
  fromAiSdkTools,
  toAiSdkCodeTool,
  toAiSdkTools,
} from '@glovebox/core/ai-sdk';
import { generateText, isStepCount, jsonSchema, tool } from 'ai';
import type { JSONSchema7, ModelMessage, ToolSet } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { scriptedModel } from '../../examples/adapters/models/ai-sdk.ts';
import { describeAdapter } from '../support/adapter-contract.ts';
import type { Answer, CallOptions } from '../support/adapter-contract.ts';
import { setUpTools, useExecutor } from '../support/adapters.ts';

const executor = useExecutor();

/** A model calls one tool. */
async function callOf(
  tools: ToolSet,
  name: string,
  input: object,
  { valueIn, signal }: CallOptions = {},
): Promise<Answer> {
  const { text, steps } = await generateText({
    model: scriptedModel(name, input),
    tools,
    stopWhen: isStepCount(2),
    prompt: 'Go.',
    ...(signal === undefined ? {} : { abortSignal: signal }),
  });
  const content = steps[0]?.content ?? [];
  const result = content.find((part) => part.type === 'tool-result');
  if (result !== undefined) {
    return {
      text,
      failed: false,
      values: [valueIn === undefined ? result.output : valueIn(result.output)],
    };
  }
  const error = content.find((part) => part.type === 'tool-error')?.error;
  return { text, failed: error instanceof AgentToolError, error };
}

const QUESTION: ModelMessage = { role: 'user', content: 'Go.' };

describeAdapter(executor, {
  tools: {
    describe: async (dispatcher) => {
      const model = scriptedModel('none', {});
      const tools = toAiSdkTools(dispatcher, { tools: ['orders.total'] });
      await generateText({ model, tools, prompt: 'Go.' }).catch(() => undefined);
      const [tool_] = model.doGenerateCalls[0]?.tools ?? [];
      if (tool_?.type !== 'function') throw new Error('The model is told of no tool.');
      return { ...tool_, description: tool_.description, schema: tool_.inputSchema };
    },
    call: (dispatcher, name, args) => callOf(toAiSdkTools(dispatcher), name, args),
    errors: {
      thrown: /^RangeError: too much \(code E_RANGE\)$/,
      badArguments: /customer .*\(code schema\)$/,
    },
    approve: async (dispatcher, name, args, approved, onAsked) => {
      const tools = toAiSdkTools(dispatcher);
      const model = scriptedModel(name, args);
      const asked = await generateText({ model, tools, messages: [QUESTION] });
      const request = asked.content.find((part) => part.type === 'tool-approval-request');
      onAsked();
      const approvalId = request?.approvalId ?? '';
      const answer = await generateText({
        model,
        tools,
        messages: [
          QUESTION,
          ...asked.responseMessages,
          { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved }] },
        ],
      });
      return answer.text;
    },
    refusal: /denied/,
    asks: isAsked,
  },
  code: [
    {
      title: 'the code tool',
      nameOf: (name) => name,
      run: ({ codeTool }, code, { signal }) => {
        const tools = { run_code: toAiSdkCodeTool(codeTool) };
        return callOf(tools, 'run_code', { code }, { valueIn: valueOfRun, signal });
      },
      errors: {
        endless: /^Error: WALL_LIMIT: .* 300 ms\.$/,
        thrown: /^Error: RangeError: too much\ncode: E_RANGE\nat line 2/,
      },
      onAbort: 'rejects',
    },
  ],
});

/** The value in what the code tool gives to programs. */
function valueOfRun(output: unknown): unknown {
  const { outcome } = output as CodeToolResult;
  return outcome.ok ? outcome.value : outcome;
}

async function isAsked(dispatcher: Dispatcher, name: string, args: object): Promise<boolean> {
  const { content } = await generateText({
    model: scriptedModel(name, args),
    tools: toAiSdkTools(dispatcher),
    prompt: 'Go.',
  });
  return content.some((part) => part.type === 'tool-approval-request');
}

describe('approval', () => {
  test("a call that a policy lets through unasked is for the dispatcher's approve", async () => {
    const { dispatcher, calls } = setUpTools(executor());
    const { content } = await generateText({
      model: scriptedModel('orders_cancel', { customer: 1 }),
      tools: toAiSdkTools(dispatcher),
      toolApproval: () => 'not-applicable',
      prompt: 'Go.',
    });
    const error = content.find((part) => part.type === 'tool-error')?.error;
    expect(error).toMatchObject({ code: 'denied' });
    expect(calls).toEqual([]);
  });

  test('nobody is asked about arguments that do not fit', async () => {
    const registry = new ToolRegistry();
    registry.register({
      name: 'pay',
      inputSchema: z.object({ amount: z.number() }),
      needsApproval: ({ amount }) => amount < 10,
      execute: () => 'paid',
    });
    const dispatcher = new Dispatcher({ registry });
    expect(await isAsked(dispatcher, 'pay', { amount: 'no number' })).toBe(false);
  });
});

const NUMBER_SCHEMA: JSONSchema7 = {
  type: 'object',
  properties: { n: { type: 'number' } },
  required: ['n'],
};

async function registryOf(tools: ToolSet): Promise<ToolRegistry> {
  const registry = new ToolRegistry();
  for (const definition of await fromAiSdkTools(tools)) registry.register(definition);
  return registry;
}

describe("the AI SDK's tools in a registry", () => {
  test('are called by code, with their schemas', async () => {
    const registry = await registryOf({
      getWeather: tool({
        description: 'The weather.',
        inputSchema: z.object({ at: z.date() }),
        execute: ({ at }) => ({ celsius: at.getTime() }),
      }),
      double: tool({
        inputSchema: jsonSchema<{ n: number }>(NUMBER_SCHEMA),
        execute: ({ n }) => n * 2,
      }),
      odd: tool({
        inputSchema: jsonSchema<{ n: number }>(NUMBER_SCHEMA, {
          validate: (value) => {
            const { n } = value as { n: number };
            return n % 2 === 1
              ? { success: true, value: { n: n + 1 } }
              : { success: false, error: new Error('even') };
          },
        }),
        execute: ({ n }) => n,
      }),
      steps: tool({
        inputSchema: jsonSchema<object>({ type: 'object' }),
        async *execute() {
          yield 'begun';
          yield 'done';
        },
      }),
    });
    const codeTool = createCodeTool({ registry, executor: executor() });
    expect(codeTool.description).toContain('get_weather(args: { at: Date })');
    const code = `return [
      await get_weather({ at: new Date(5) }),
      await double({ n: 2 }),
      await double({ n: 'x' }).catch(({ code }) => code),
      await odd({ n: 3 }),
      await odd({ n: 2 }).catch(({ message }) => message),
      await steps({}),
    ]`;
    const { outcome } = await codeTool.execute({ code });
    expect(outcome).toMatchObject({
      value: [{ celsius: 5 }, 4, 'schema', 4, expect.stringContaining('even'), 'done'],
    });
  });

  test('keep their need for approval, and hear of the end of the run', async () => {
    const registry = await registryOf({
      pay: tool({
        inputSchema: z.object({ amount: z.number() }),
        needsApproval: ({ amount }) => amount > 10,
        execute: async (_input, { abortSignal }) => abortSignal instanceof AbortSignal,
      }),
    });
    const codeTool = createCodeTool({ registry, executor: executor() });
    const { outcome } = await codeTool.execute({
      code: 'return [await pay({ amount: 1 }), await pay({ amount: 11 }).catch(({ code }) => code)]',
    });
    expect(outcome).toMatchObject({ value: [true, 'denied'] });
  });

  test('one without a function is refused', async () => {
    const bare = tool({ inputSchema: z.object({}), outputSchema: z.string() });
    await expect(fromAiSdkTools({ bare })).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
  });
});
