import { createCodeTool, ToolRegistry } from '@glovebox/core';
import type { Outcome } from '@glovebox/core';
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

import { describeAdapter } from '../support/adapter-contract.ts';
import type { Answer, CallOptions } from '../support/adapter-contract.ts';
import { setUpTools, useExecutor } from '../support/adapters.ts';
import { valueOf } from '../support/pools.ts';

const executor = useExecutor();

/** A model that calls one tool, and then is done. */
function modelThatCalls(name: string, args: object): ReturnType<typeof fakeModel> {
  return fakeModel()
    .respondWithTools([{ name, args, id: 'call-1' }])
    .respond(new AIMessage('done'));
}

/** What an agent's model and its program are given of a tool that is called. */
async function callOf(
  tools: StructuredTool[],
  name: string,
  args: object,
  { valueIn, signal }: CallOptions = {},
): Promise<Answer> {
  const agent = createAgent({ model: modelThatCalls(name, args), tools });
  const input = { messages: [{ role: 'user', content: 'Go.' }] };
  const { messages } = await agent.invoke(input, signal === undefined ? {} : { signal });
  const { status, content, artifact } = toolMessageIn(messages);
  const text = z.string().parse(content);
  if (status === 'error') return { text, failed: true };
  return { text, failed: false, values: [valueIn === undefined ? artifact : valueIn(artifact)] };
}

function toolMessageIn(messages: readonly BaseMessage[]): ToolMessage {
  const message = messages.find((candidate) => ToolMessage.isInstance(candidate));
  if (message === undefined) throw new Error('The tool was not called.');
  return message;
}

/** The value in the outcome that the code tool gives to programs. */
function valueOfRun(artifact: unknown): unknown {
  return valueOf(artifact as Outcome);
}

describeAdapter(executor, {
  tools: {
    describe: async (dispatcher) => {
      const [total] = toLangChainTools(dispatcher, { tools: ['orders.total'] });
      return { name: total?.name, description: total?.description, schema: total?.schema };
    },
    call: (dispatcher, name, args) => callOf(toLangChainTools(dispatcher), name, args),
    errors: {
      thrown: /^RangeError: too much \(code E_RANGE\)\n/,
      badArguments: /#\/properties\/customer\/type/,
    },
    approve: async (dispatcher, name, args, isApproved, onAsked) => {
      const options = { interruptOn: toInterruptOn(dispatcher) };
      // LangChain's types of it do not fit each other where optional properties are exact.
      const asking = humanInTheLoopMiddleware(options as never) as unknown as AgentMiddleware;
      const agent = createAgent({
        model: modelThatCalls(name, args),
        tools: toLangChainTools(dispatcher, { approval: 'middleware' }),
        middleware: [asking],
        checkpointer: new MemorySaver(),
      });
      const config = { configurable: { thread_id: 'thread-1' } };
      const asked = await agent.invoke({ messages: [{ role: 'user', content: 'Go.' }] }, config);
      if ('__interrupt__' in asked) onAsked();
      const decision = isApproved ? { type: 'approve' } : { type: 'reject', message: 'not now' };
      const resume = { decisions: [decision] };
      const { messages } = await agent.invoke(new Command({ resume }), config);
      return z.string().parse(toolMessageIn(messages).content);
    },
    refusal: /not now/,
  },
  code: [
    {
      title: 'the code tool',
      nameOf: (name) => name,
      run: ({ codeTool }, code, { signal }) =>
        callOf(
          [toLangChainCodeTool(codeTool)],
          'run_code',
          { code },
          { valueIn: valueOfRun, signal },
        ),
      errors: {
        endless: /^Error: WALL_LIMIT: The run took longer than 300 ms\./,
        thrown: /^Error: RangeError: too much\ncode: E_RANGE\nat line 2, column 14/,
      },
      onAbort: 'rejects',
    },
  ],
});

test("where no middleware asks, the dispatcher's approve is asked", async () => {
  const { dispatcher, calls } = setUpTools(executor());
  const { text } = await callOf(toLangChainTools(dispatcher), 'orders_cancel', { customer: 1 });
  expect(text).toMatch(/needs approval.*\(code denied\)/);
  expect(calls).toEqual([]);
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
