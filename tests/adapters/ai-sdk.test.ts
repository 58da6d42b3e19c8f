import { createCodeTool, ToolRegistry } from '@glovebox/core';
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
import { CODE, RICH, RICH_TEXT, setUpTools, useExecutor } from '../support/adapters.ts';

const executor = useExecutor();

interface Call {
  /** What the model is told. */
  readonly text: string;
  /** The parts of the step in which the tool was called. */
  readonly content: Awaited<ReturnType<typeof generateText>>['content'];
}

/** A model calls one tool. */
async function callOf(
  tools: ToolSet,
  name: string,
  input: object,
  abortSignal?: AbortSignal,
): Promise<Call> {
  const model = scriptedModel(name, input);
  const common = { model, tools, stopWhen: isStepCount(2) };
  const { text, steps } = await generateText({
    ...common,
    prompt: 'Go.',
    ...(abortSignal === undefined ? {} : { abortSignal }),
  });
  return { text, content: steps[0]?.content ?? [] };
}

describe('tools of a registry', () => {
  test('have description and schema', async () => {
    const { dispatcher } = setUpTools(executor());
    const model = scriptedModel('none', {});
    const tools = toAiSdkTools(dispatcher, { tools: ['orders.total'] });
    await generateText({ model, tools, prompt: 'Go.' }).catch(() => undefined);
    expect(model.doGenerateCalls[0]?.tools).toMatchObject([
      {
        name: 'orders_total',
        description: 'The total of a customer.',
        inputSchema: { properties: { customer: { type: 'number' } }, required: ['customer'] },
      },
    ]);
  });

  test('are called through the dispatcher', async () => {
    const { dispatcher, calls } = setUpTools(executor());
    const { text } = await callOf(toAiSdkTools(dispatcher), 'orders_total', { customer: 4 });
    expect(text).toBe('40');
    expect(calls).toEqual([{ tool: 'orders.total', args: { customer: 4 } }]);
  });

  test.each([
    ['rich', {}, RICH_TEXT, RICH],
    ['at', { time: '1970-01-01T00:00:01Z' }, '1000', 1000],
  ])(
    '%s gives programs the value, and the model what it can read',
    async (name, args, ...given) => {
      const [text, value] = given;
      const { dispatcher } = setUpTools(executor());
      const call = await callOf(toAiSdkTools(dispatcher), name, args);
      const result = call.content.find((part) => part.type === 'tool-result');
      expect(result?.output).toStrictEqual(value);
      expect(call.text).toBe(text);
    },
  );

  test.each([
    ['orders_pay', {}, 'RangeError', 'E_RANGE', /^RangeError: too much \(code E_RANGE\)$/],
    ['orders_total', { customer: 'x' }, 'ToolCallError', 'schema', /customer .*\(code schema\)$/],
  ])(
    'an error of %s is a tool-error with name and code',
    async (tool_, input, name, code, message) => {
      const { dispatcher } = setUpTools(executor());
      const { text, content } = await callOf(toAiSdkTools(dispatcher), tool_, input);
      const error = content.find((part) => part.type === 'tool-error')?.error;
      expect(error).toBeInstanceOf(AgentToolError);
      expect(error).toMatchObject({ name, code });
      expect(text).toMatch(message);
    },
  );

  test.each([
    [true, 'cancelled', [{ tool: 'orders.cancel', args: { customer: 1 } }]],
    [false, expect.stringContaining('denied'), []],
  ])('a person is asked the way of the AI SDK, and says %s', async (approved, text, called) => {
    const { dispatcher, calls } = setUpTools(executor());
    const tools = toAiSdkTools(dispatcher);
    const model = scriptedModel('orders_cancel', { customer: 1 });
    const question: ModelMessage = { role: 'user', content: 'Go.' };
    const asked = await generateText({ model, tools, messages: [question] });
    const request = asked.content.find((part) => part.type === 'tool-approval-request');
    expect(calls).toEqual([]);
    const approvalId = request?.approvalId ?? '';
    const answer = await generateText({
      model,
      tools,
      messages: [
        question,
        ...asked.responseMessages,
        { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved }] },
      ],
    });
    expect(answer.text).toEqual(text);
    expect(calls).toEqual(called);
  });

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

  test.each([
    [5, true],
    [50, false],
    ['no number', false],
  ])('a function decides for %s whether a person is asked', async (amount, isAsked) => {
    const registry = new ToolRegistry();
    registry.register({
      name: 'pay',
      inputSchema: z.object({ amount: z.number() }),
      needsApproval: ({ amount: given }) => given < 10,
      execute: () => 'paid',
    });
    const { dispatcher } = setUpTools(executor(), { registry });
    const { content } = await callOf(toAiSdkTools(dispatcher), 'pay', { amount });
    expect(content.some((part) => part.type === 'tool-approval-request')).toBe(isAsked);
  });
});

async function runCode(code: string, wallMs = 10_000, signal?: AbortSignal): Promise<Call> {
  const { codeTool } = setUpTools(executor(), {}, { wallMs });
  return callOf({ run_code: toAiSdkCodeTool(codeTool) }, 'run_code', { code }, signal);
}

describe('the code tool', () => {
  test('three tools run in parallel', async () => {
    const { text } = await runCode(CODE.parallel);
    expect(text).toBe('Result:\n[ 3, 3, 3 ]');
  });

  test('a Date and a Map are there as they are, for programs and for the model', async () => {
    const { text, content } = await runCode(CODE.rich);
    const result = content.find((part) => part.type === 'tool-result');
    expect(result?.output).toMatchObject({ outcome: { value: RICH } });
    expect(text).toBe(`Result:\n${RICH_TEXT}`);
  });

  test.each([
    [CODE.endless, 'WALL_LIMIT', 'WALL_LIMIT', /^Error: WALL_LIMIT: .* 300 ms\.$/],
    [CODE.fails, 'RangeError', 'E_RANGE', /^Error: RangeError: too much\ncode: E_RANGE\nat line 2/],
  ])('a failure is a tool-error: %s', async (code, name, errorCode, message) => {
    const { text, content } = await runCode(code, 300);
    const error = content.find((part) => part.type === 'tool-error')?.error;
    expect(error).toMatchObject({ name, code: errorCode });
    expect(text).toMatch(message);
  });

  test('an abort stops the guest and its tools', async () => {
    const { codeTool, aborted, waiting } = setUpTools(executor());
    const abort = new AbortController();
    const tools = { run_code: toAiSdkCodeTool(codeTool) };
    const call = callOf(tools, 'run_code', { code: CODE.waits }, abort.signal);
    await waiting;
    abort.abort();
    expect(await aborted).toBeInstanceOf(DOMException);
    await expect(call).rejects.toThrow('abort');
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
