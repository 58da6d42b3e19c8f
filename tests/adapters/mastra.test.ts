import { createCodeTool, ToolRegistry } from '@glovebox/core';
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
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { scriptedModel } from '../../examples/adapters/models/mastra.ts';
import { CODE, RICH, RICH_TEXT, setUpTools, useExecutor } from '../support/adapters.ts';

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

interface Call {
  /** What the model is told. */
  readonly text: string;
  /** What programs get. */
  readonly value: unknown;
}

async function callOf(
  tools: Tools,
  name: string,
  args: object,
  abortSignal?: AbortSignal,
): Promise<Call> {
  const agent = agentThatCalls(name, args, tools);
  const options = { maxSteps: 3, ...(abortSignal === undefined ? {} : { abortSignal }) };
  const { text, steps } = await agent.generate('Go.', options);
  return { text, value: steps[0]?.toolResults[0]?.payload.result };
}

describe('tools of a registry', () => {
  test('have id, description and schema', () => {
    const { dispatcher } = setUpTools(executor());
    const { orders_total: total } = toMastraTools(dispatcher, { tools: ['orders.total'] });
    expect(total).toMatchObject({ id: 'orders_total', description: 'The total of a customer.' });
    const schema = total?.inputSchema?.['~standard'].jsonSchema.input({ target: 'draft-07' });
    expect(schema).toMatchObject({
      properties: { customer: { type: 'number' } },
      required: ['customer'],
    });
  });

  test.each([
    ['orders_total', { customer: 4 }, '40', 40],
    ['rich', {}, RICH_TEXT, RICH],
    ['at', { time: '1970-01-01T00:00:01Z' }, '1000', 1000],
  ])('%s gives its value as text and as it is', async (name, args, text, value) => {
    const { dispatcher } = setUpTools(executor());
    const call = await callOf(toMastraTools(dispatcher), name, args);
    expect(call).toStrictEqual({ text, value });
  });

  test("an error is Mastra's kind of error, with name and code", async () => {
    const { dispatcher } = setUpTools(executor());
    const { text, value } = await callOf(toMastraTools(dispatcher), 'orders_pay', {});
    expect(text).toBe('RangeError: too much (code E_RANGE)');
    expect(value).toBe(undefined);
  });

  test('a model is told what is wrong with its arguments', async () => {
    const { dispatcher, calls } = setUpTools(executor());
    const { text } = await callOf(toMastraTools(dispatcher), 'orders_total', { customer: 'x' });
    expect(text).toMatch(/customer: .*number/);
    expect(calls).toEqual([]);
  });

  test.each([
    [true, 'cancelled', [{ tool: 'orders.cancel', args: { customer: 1 } }]],
    [false, expect.stringContaining('not approved'), []],
  ])('a person is asked the way of Mastra, and says %s', async (approved, text, called) => {
    const { dispatcher, calls } = setUpTools(executor());
    const agent = agentThatCalls('orders_cancel', { customer: 1 }, toMastraTools(dispatcher));
    const asked = await agent.generate('Go.');
    expect(asked.finishReason).toBe('suspended');
    expect(calls).toEqual([]);
    const run = { runId: asked.runId ?? '', toolCallId: 'call-1' };
    const answer = approved
      ? await agent.approveToolCallGenerate(run)
      : await agent.declineToolCallGenerate(run);
    expect(answer.text).toEqual(text);
    expect(calls).toEqual(called);
  });

  test.each([
    [5, 'suspended'],
    [50, 'stop'],
  ])('a function decides for %s whether a person is asked', async (amount, reason) => {
    const registry = new ToolRegistry();
    registry.register({
      name: 'pay',
      inputSchema: z.object({ amount: z.number() }),
      needsApproval: ({ amount: given }) => given < 10,
      execute: () => 'paid',
    });
    const { dispatcher } = setUpTools(executor(), { registry });
    const agent = agentThatCalls('pay', { amount }, toMastraTools(dispatcher));
    expect((await agent.generate('Go.')).finishReason).toBe(reason);
  });
});

async function runCode(code: string, wallMs = 10_000): Promise<Call> {
  const { codeTool } = setUpTools(executor(), {}, { wallMs });
  return callOf({ run_code: toMastraCodeTool(codeTool) }, 'run_code', { code });
}

describe('the code tool', () => {
  test('a Date and a Map are there as they are, for programs and for the model', async () => {
    const { text, value } = await runCode(CODE.rich);
    expect(text).toBe(`Result:\n${RICH_TEXT}`);
    expect(value).toMatchObject({ outcome: { value: RICH } });
  });

  test.each([
    [CODE.endless, /^Error: WALL_LIMIT: The run took longer than 300 ms\.$/],
    [CODE.fails, /^Error: RangeError: too much\ncode: E_RANGE\nat line 2, column 14/],
  ])("a failure is Mastra's kind of error: %s", async (code, message) => {
    const { text, value } = await runCode(code, 300);
    expect(text).toMatch(message);
    expect(value).toBe(undefined);
  });

  test('an abort stops the guest and its tools', async () => {
    const { codeTool, aborted, waiting } = setUpTools(executor());
    const abort = new AbortController();
    const tools = { run_code: toMastraCodeTool(codeTool) };
    const call = callOf(tools, 'run_code', { code: CODE.waits }, abort.signal);
    await waiting;
    abort.abort();
    expect(await aborted).toBeInstanceOf(DOMException);
    await call;
  });
});

async function runProgram(code: string, timeout = 10_000): Promise<unknown> {
  const { dispatcher } = setUpTools(executor());
  const transport = createCodeModeTransport({ executor: executor() });
  const { tool } = createCodeMode({ tools: toMastraTools(dispatcher), timeout }, transport);
  const { value } = await callOf({ [tool.id]: tool }, tool.id, { code });
  return value;
}

describe('code mode of Mastra with this transport', () => {
  test('three tools run in parallel', async () => {
    const code = 'return Promise.all([1, 2, 3].map(() => external_crowd({})))';
    const result = await runProgram(code);
    expect(result).toEqual({ success: true, result: [3, 3, 3], logs: [] });
  });

  test('values pass exactly, and logs are lines', async () => {
    const code = "console.log('a', 1); return external_rich({ set: new Set([1]) })";
    expect(await runProgram(code)).toStrictEqual({ success: true, result: RICH, logs: ['a 1'] });
  });

  test.each([
    ['for (;;);', { name: 'WALL_LIMIT', message: 'The run took longer than 300 ms.' }],
    [
      'const a = 1;\nawait external_orders_pay()',
      { name: 'RangeError', message: 'too much (code E_RANGE)', line: 2 },
    ],
    [
      'await external_orders_cancel({ customer: 1 })',
      { name: 'ToolCallError', message: expect.stringContaining('nobody can be asked'), line: 1 },
    ],
    ['const const', { name: 'SyntaxError', message: expect.any(String), line: 1 }],
  ])('a failure is told with its name and line: %s', async (code, error) => {
    expect(await runProgram(code, 300)).toEqual({ success: false, error, logs: [] });
  });

  test('an abort stops the guest', async () => {
    const { dispatcher, aborted, waiting } = setUpTools(executor());
    const transport = createCodeModeTransport({ executor: executor() });
    const { tool } = createCodeMode({ tools: toMastraTools(dispatcher) }, transport);
    const abort = new AbortController();
    const code = 'await external_wait_forever()';
    const call = callOf({ [tool.id]: tool }, tool.id, { code }, abort.signal);
    await waiting;
    abort.abort();
    expect(await aborted).toBeInstanceOf(DOMException);
    await call;
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
