import { createCodeTool, ToolRegistry } from '@glovebox/core';
import {
  fromLangChainTool,
  toInterruptOn,
  toLangChainCodeTool,
  toLangChainTools,
} from '@glovebox/core/langchain';
import { Command, MemorySaver } from '@langchain/langgraph';
import {
  AIMessage,
  createAgent,
  fakeModel,
  humanInTheLoopMiddleware,
  tool,
  ToolMessage,
} from 'langchain';
import type { AgentMiddleware, BaseMessage, StructuredTool } from 'langchain';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { CODE, RICH, RICH_TEXT, setUpTools, useExecutor } from '../support/adapters.ts';

const executor = useExecutor();

/** A model that calls one tool, and then is done. */
function modelThatCalls(name: string, args: object): ReturnType<typeof fakeModel> {
  return fakeModel()
    .respondWithTools([{ name, args, id: 'call-1' }])
    .respond(new AIMessage('done'));
}

/** The message about a tool that an agent's model has called. */
async function callOf(
  tools: StructuredTool[],
  name: string,
  args: object,
  signal?: AbortSignal,
): Promise<ToolMessage> {
  const agent = createAgent({ model: modelThatCalls(name, args), tools });
  const input = { messages: [{ role: 'user', content: 'Go.' }] };
  const { messages } = await agent.invoke(input, signal === undefined ? {} : { signal });
  return toolMessageIn(messages);
}

function toolMessageIn(messages: readonly BaseMessage[]): ToolMessage {
  const message = messages.find((candidate) => ToolMessage.isInstance(candidate));
  if (message === undefined) throw new Error('The tool was not called.');
  return message;
}

describe('tools of a registry', () => {
  test('have name, description and schema', () => {
    const { dispatcher } = setUpTools(executor());
    const [total] = toLangChainTools(dispatcher, { tools: ['orders.total'] });
    expect(total).toMatchObject({
      name: 'orders_total',
      description: 'The total of a customer.',
      schema: { properties: { customer: { type: 'number' } }, required: ['customer'] },
    });
  });

  test.each([
    ['orders_total', { customer: 4 }, '40', 40],
    ['rich', {}, RICH_TEXT, RICH],
    ['at', { time: '1970-01-01T00:00:01Z' }, '1000', 1000],
  ])('%s gives its value as text and as it is', async (name, args, content, artifact) => {
    const { dispatcher } = setUpTools(executor());
    const message = await callOf(toLangChainTools(dispatcher), name, args);
    expect(message.content).toBe(content);
    expect(message.artifact).toStrictEqual(artifact);
  });

  test.each([
    ['orders_pay', {}, /^RangeError: too much \(code E_RANGE\)\n/],
    ['orders_total', { customer: 'x' }, /#\/properties\/customer\/type/],
  ])('an error of %s is a message with its name and code', async (name, args, content) => {
    const { dispatcher } = setUpTools(executor());
    const message = await callOf(toLangChainTools(dispatcher), name, args);
    expect(message.status).toBe('error');
    expect(message.content).toMatch(content);
  });

  test("a person is asked by the dispatcher's approve", async () => {
    const { dispatcher, calls } = setUpTools(executor());
    const message = await callOf(toLangChainTools(dispatcher), 'orders_cancel', { customer: 1 });
    expect(message.content).toMatch(/needs approval.*\(code denied\)/);
    expect(calls).toEqual([]);
  });

  test.each([
    [{ type: 'approve' as const }, 'cancelled', [{ tool: 'orders.cancel', args: { customer: 1 } }]],
    [{ type: 'reject' as const, message: 'not now' }, 'not now', []],
  ])('a person is asked by the middleware, and decides %o', async (decision, content, called) => {
    const { dispatcher, calls } = setUpTools(executor());
    const options = { interruptOn: toInterruptOn(dispatcher) };
    // LangChain's types of it do not fit each other where optional properties are exact.
    const asking = humanInTheLoopMiddleware(options as never) as unknown as AgentMiddleware;
    const agent = createAgent({
      model: modelThatCalls('orders_cancel', { customer: 1 }),
      tools: toLangChainTools(dispatcher, { approval: 'middleware' }),
      middleware: [asking],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: 'thread-1' } };
    const asked = await agent.invoke({ messages: [{ role: 'user', content: 'Go.' }] }, config);
    expect(asked).toHaveProperty('__interrupt__');
    expect(calls).toEqual([]);
    const answer = await agent.invoke(new Command({ resume: { decisions: [decision] } }), config);
    expect(toolMessageIn(answer.messages).content).toContain(content);
    expect(calls).toEqual(called);
  });
});

async function runCode(code: string, wallMs = 10_000): Promise<ToolMessage> {
  const { codeTool } = setUpTools(executor(), {}, { wallMs });
  return callOf([toLangChainCodeTool(codeTool)], 'run_code', { code });
}

describe('the code tool', () => {
  test('three tools run in parallel', async () => {
    const message = await runCode(CODE.parallel);
    expect(message.content).toBe('Result:\n[ 3, 3, 3 ]');
  });

  test('a Date and a Map are there as they are, for programs and for the model', async () => {
    const message = await runCode(CODE.rich);
    expect(message.content).toBe(`Result:\n${RICH_TEXT}`);
    expect(message.artifact).toMatchObject({ ok: true, value: RICH });
  });

  test.each([
    [CODE.endless, /^Error: WALL_LIMIT: The run took longer than 300 ms\./],
    [CODE.fails, /^Error: RangeError: too much\ncode: E_RANGE\nat line 2, column 14/],
  ])('a failure is a message that is an error: %s', async (code, content) => {
    const message = await runCode(code, 300);
    expect(message.status).toBe('error');
    expect(message.content).toMatch(content);
  });

  test('an abort stops the guest and its tools', async () => {
    const { codeTool, aborted, waiting } = setUpTools(executor());
    const abort = new AbortController();
    const args = { code: CODE.waits };
    const call = callOf([toLangChainCodeTool(codeTool)], 'run_code', args, abort.signal);
    await waiting;
    abort.abort();
    await expect(call).rejects.toThrow(/abort/i);
    expect(await aborted).toBeInstanceOf(DOMException);
  });
});

describe("LangChain's tools in a registry", () => {
  test('are called by code, with their schemas and errors', async () => {
    const registry = new ToolRegistry();
    const getWeather = tool(
      ({ at }) => {
        if (at.getTime() === 0) throw Object.assign(new RangeError('too early'), { code: 'E_0' });
        return { celsius: at.getTime() };
      },
      { name: 'getWeather', description: 'The weather.', schema: z.object({ at: z.date() }) },
    );
    const double = tool((input) => String((input as { n: number }).n * 2), {
      name: 'double',
      schema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const,
    });
    const shout = tool((text: string) => text.toUpperCase(), {
      name: 'shout',
      schema: z.string(),
    });
    registry.register(fromLangChainTool(getWeather));
    registry.register(fromLangChainTool(shout));
    registry.register(fromLangChainTool(double));
    const codeTool = createCodeTool({ registry, executor: executor() });
    expect(codeTool.description).toContain('get_weather(args: { at: Date })');
    const { outcome } = await codeTool.execute({
      code: `return [
        await get_weather({ at: new Date(5) }),
        await get_weather({ at: new Date(0) }).catch(({ name, code }) => [name, code]),
        await double({ n: 2 }),
        await double({ n: 'x' }).catch(({ code }) => code),
        await shout({ input: 'a' }),
      ]`,
    });
    expect(outcome).toMatchObject({
      value: [{ celsius: 5 }, ['RangeError', 'E_0'], '4', 'schema', 'A'],
    });
  });
});
