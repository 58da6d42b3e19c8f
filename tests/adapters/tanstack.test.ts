import { createCodeTool, Dispatcher, ToolRegistry } from '@glovebox/core';
import {
  createIsolateDriver,
  fromTanStackTool,
  toTanStackCodeTool,
  toTanStackTools,
} from '@glovebox/core/tanstack';
import type { TanStackTool } from '@glovebox/core/tanstack';
import { chat, EventType, toolDefinition } from '@tanstack/ai';
import type { StreamChunk } from '@tanstack/ai';
import { createCodeMode } from '@tanstack/ai-code-mode';
import type { IsolateContext, ToolBinding } from '@tanstack/ai-code-mode';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { ScriptedModel } from '../../examples/adapters/models/tanstack.ts';
import { describeAdapter } from '../support/adapter-contract.ts';
import type { Answer } from '../support/adapter-contract.ts';
import { collect, forever, RICH, setUpTools, useExecutor } from '../support/adapters.ts';

const executor = useExecutor();

async function contextOf(
  tools: Record<string, ToolBinding['execute']>,
  config: { readonly timeout?: number; readonly memoryLimit?: number } = {},
): Promise<IsolateContext> {
  const bindings = Object.fromEntries(
    Object.entries(tools).map(([name, execute]) => [
      name,
      { name, description: name, inputSchema: {}, execute },
    ]),
  );
  return createIsolateDriver({ executor: executor() }).createContext({ bindings, ...config });
}

/** What the model is told of a tool that it called. */
async function callOf(
  tools: readonly TanStackTool[],
  tool: string,
  args: object,
  abortController?: AbortController,
): Promise<{ readonly chunks: StreamChunk[]; readonly result: string | undefined }> {
  const stream = chat({
    adapter: new ScriptedModel(tool, args),
    messages: [{ role: 'user', content: 'Go.' }],
    tools: [...tools],
    ...(abortController === undefined ? {} : { abortController }),
  });
  const chunks: StreamChunk[] = await collect(stream);
  return { chunks, result: resultIn(chunks) };
}

function resultIn(chunks: readonly StreamChunk[]): string | undefined {
  return chunks.find((chunk) => chunk.type === EventType.TOOL_CALL_RESULT)?.content;
}

/** The same as an answer: TanStack makes an object of an error. */
async function answerOf(...call: Parameters<typeof callOf>): Promise<Answer> {
  const { result = '' } = await callOf(...call);
  const [, error] = /^(\{"error":.*\})$/s.exec(result) ?? [];
  if (error === undefined) return { text: result, failed: false };
  return {
    text: z.strictObject({ error: z.string() }).parse(JSON.parse(error)).error,
    failed: true,
  };
}

/** What the scripted model has read, and says. */
function readByModel(chunks: readonly StreamChunk[]): string {
  const said = chunks.map((chunk) =>
    chunk.type === EventType.TEXT_MESSAGE_CONTENT ? chunk.delta : '',
  );
  return z.string().parse(JSON.parse(said.join('')));
}

function controllerOf(signal: AbortSignal | undefined): AbortController | undefined {
  if (signal === undefined) return undefined;
  const controller = new AbortController();
  signal.addEventListener('abort', () => controller.abort(signal.reason));
  return controller;
}

/** The tools of a registry as code mode gives them to a driver. */
function bindingsOf(dispatcher: Dispatcher): Record<string, ToolBinding['execute']> {
  return Object.fromEntries(
    toTanStackTools(dispatcher).map(({ name, execute }) => [
      `external_${name}`,
      async (input: unknown, context) => execute?.(input, context),
    ]),
  );
}

describeAdapter(executor, {
  tools: {
    describe: async (dispatcher) => {
      const [total] = toTanStackTools(dispatcher, { tools: ['orders.total'] });
      return { name: total?.name, description: total?.description, schema: total?.inputSchema };
    },
    call: (dispatcher, name, args) => answerOf(toTanStackTools(dispatcher), name, args),
    errors: {
      thrown: /^RangeError: too much \(code E_RANGE\)$/,
      badArguments: /^The arguments of orders\.total .*\(code schema\)$/,
    },
    approve: async (dispatcher, name, args, approved, onAsked) => {
      const tools = toTanStackTools(dispatcher);
      const { chunks } = await callOf(tools, name, args);
      const last = chunks.at(-1);
      if (last?.type === EventType.RUN_FINISHED && last.outcome?.type === 'interrupt') onAsked();
      const answered = chat({
        adapter: new ScriptedModel(name, args),
        tools,
        messages: [
          { id: 'message-1', role: 'user', parts: [{ type: 'text', content: 'Go.' }] },
          {
            id: 'message-2',
            role: 'assistant',
            parts: [
              {
                type: 'tool-call',
                id: 'call-1',
                name,
                arguments: JSON.stringify(args),
                state: 'approval-responded',
                approval: { id: 'approval_call-1', needsApproval: true, approved },
              },
            ],
          },
        ],
      });
      return readByModel(await collect(answered));
    },
    refusal: /"approved":false,"message":"User denied this action"/,
  },
  code: [
    {
      title: 'the code tool in chat',
      nameOf: (name) => name,
      run: ({ codeTool }, code, { signal }) =>
        answerOf([toTanStackCodeTool(codeTool)], 'run_code', { code }, controllerOf(signal)),
      errors: {
        endless: /^Error: WALL_LIMIT: The run took longer than 300 ms\.$/,
        thrown: /RangeError: too much\ncode: E_RANGE\nat line 2, column 14/,
      },
      onAbort: 'resolves',
    },
    {
      title: 'the isolate driver with the tools of a registry',
      nameOf: (name) => `external_${name.replace('.', '_')}`,
      run: async ({ dispatcher }, code, { wallMs }) => {
        const context = await contextOf(bindingsOf(dispatcher), { timeout: wallMs });
        const { success, value, error } = await context.execute(code);
        await context.dispose();
        if (success) return { failed: false, values: [value] };
        return { failed: true, text: `${error?.name}: ${error?.message}`, error };
      },
      errors: {
        endless: /^WALL_LIMIT: The run took longer than 300 ms\.$/,
        thrown: /^RangeError: too much$/,
      },
    },
  ],
});

describe('the isolate driver', () => {
  test('passes values exactly, in both directions', async () => {
    const seen: unknown[] = [];
    const context = await contextOf({
      external_echo: async (input) => {
        seen.push(input);
        return RICH;
      },
    });
    const code = 'return external_echo({ at: new Date(7), set: new Set([undefined, NaN]) })';
    expect(await context.execute(code)).toStrictEqual({ success: true, value: RICH, logs: [] });
    expect(seen).toStrictEqual([{ at: new Date(7), set: new Set([undefined, NaN]) }]);
  });

  test.each([
    ['a loop', 'for (;;);'],
    ['a promise that never settles', 'await new Promise(() => {})'],
    ['a tool that never answers', 'await external_hang({})'],
    ['a name that never ends', 'throw Object.assign(new Error(), { get name() { for (;;); } })'],
  ])('ends %s at the limit', async (_what, code) => {
    const context = await contextOf({ external_hang: forever }, { timeout: 300 });
    const result = await context.execute(code);
    expect(result.error).toEqual({
      name: 'WALL_LIMIT',
      message: 'The run took longer than 300 ms.',
      code: 'WALL_LIMIT',
    });
    // A next one is not held up by it.
    expect(await context.execute('return 1')).toMatchObject({ success: true, value: 1 });
    await context.dispose();
  });

  test.each([
    [
      'a forged serializer',
      `Object.prototype.toJSON = () => 'forged'; JSON.stringify = () => '"forged"';
      return { at: [1] }`,
      { success: true, value: { at: [1] } },
    ],
    [
      'code that leaves its function',
      'return 1 })(); globalThis.left = 1; (async () => { return 2',
      { success: false, error: { code: 'SYNTAX_ERROR' } },
    ],
    [
      'a rejection that nobody hears of',
      "void Promise.reject(new Error('late')); return 1",
      { success: true, value: 1 },
    ],
    [
      'names of TanStack in the guest',
      "return Object.getOwnPropertyNames(globalThis).filter((name) => name.startsWith('__c'))",
      { success: true, value: [] },
    ],
  ])('is not led astray by %s', async (_what, code, expected) => {
    const context = await contextOf({ external_one: async () => 1 });
    expect(await context.execute(code)).toMatchObject(expected);
  });

  test('a hundred thousand lines of log are cut, and the run goes on', async () => {
    const context = await contextOf({});
    const code = "for (let i = 0; i < 100_000; i++) console.log('line ' + i); return 1";
    const { value, logs = [] } = await context.execute(code);
    expect(value).toBe(1);
    expect(logs.join('').length).toBeLessThan(70_000);
    expect(logs.at(-1)).toMatch(/limit|cut|more/i);
  });

  test('the memory limit is that of TanStack', async () => {
    const context = await contextOf({}, { memoryLimit: 16 });
    const { error } = await context.execute('const all = []; for (;;) all.push({})');
    expect(error).toMatchObject({
      code: 'MEMORY_LIMIT',
      message: expect.stringContaining('16 MiB'),
    });
  });

  test("its own limits go before TanStack's", async () => {
    const driver = createIsolateDriver({ executor: executor(), limits: { wallMs: 200 } });
    const context = await driver.createContext({ bindings: {}, timeout: 30_000 });
    const { error } = await context.execute('for (;;);');
    expect(error?.message).toBe('The run took longer than 200 ms.');
  });

  test("keeps a tool's error with name and code, and shows no host", async () => {
    const context = await contextOf({
      external_pay: async () => {
        throw Object.assign(new RangeError('too much'), { code: 'E_RANGE' });
      },
    });
    const { error } = await context.execute('await external_pay({})');
    expect(error).toMatchObject({ name: 'RangeError', message: 'too much', code: 'E_RANGE' });
    expect(error?.stack).not.toMatch(/node:|file:|\.test\.ts/);
  });

  test('logs have the prefixes that TanStack reads', async () => {
    const context = await contextOf({});
    const { logs } = await context.execute(
      "console.log('a'); console.warn('b'); console.error('c')",
    );
    expect(logs).toEqual(['a', 'WARN: b', 'ERROR: c']);
  });

  test('dispose ends what runs, and tells its tools', async () => {
    const told = Promise.withResolvers<void>();
    const called = Promise.withResolvers<void>();
    const context = await contextOf({
      external_wait: (_input, toolContext) => {
        toolContext?.abortSignal?.addEventListener('abort', () => told.resolve());
        called.resolve();
        return new Promise(() => undefined);
      },
    });
    const running = context.execute('await external_wait({})');
    await called.promise;
    await context.dispose();
    expect(await running).toMatchObject({ success: false, error: { code: 'ABORTED' } });
    await told.promise;
  });

  test('a name that no guest can call is an error that says so, and nothing is thrown', async () => {
    const context = await contextOf({ 'external_a-b': async () => 1 });
    const { success, error } = await context.execute('return 1');
    expect(success).toBe(false);
    expect(error).toMatchObject({ code: 'INVALID_NAME', message: expect.stringContaining('a-b') });
  });
});

function codeModeOf(timeout = 10_000): readonly TanStackTool[] {
  const { dispatcher } = setUpTools(executor());
  const tools = toTanStackTools(dispatcher);
  const driver = createIsolateDriver({ executor: executor() });
  return createCodeMode({ driver, tools, timeout }).tools;
}

async function executeTypescript(typescriptCode: string, timeout?: number): Promise<unknown> {
  const { result = '' } = await callOf(codeModeOf(timeout), 'execute_typescript', {
    typescriptCode,
  });
  return JSON.parse(result);
}

describe('code mode of TanStack AI with this driver', () => {
  test('three tools run in parallel', async () => {
    const code = 'return Promise.all([1, 2, 3].map(() => external_crowd({})))';
    const result = await executeTypescript(code);
    expect(result).toEqual({ success: true, result: [3, 3, 3], logs: [] });
  });

  test("an endless guest ends as TanStack's kind of failure", async () => {
    expect(await executeTypescript('for (;;);', 300)).toEqual({
      success: false,
      error: { name: 'WALL_LIMIT', message: 'The run took longer than 300 ms.' },
      logs: [],
    });
  });
});

describe('tools of a registry', () => {
  test('code mode, which asks nobody, leaves the asking to the dispatcher', async () => {
    const { dispatcher, calls } = setUpTools(executor(), {
      approve: ({ args }) => ({ decision: 'deny', reason: `not ${JSON.stringify(args)}` }),
    });
    const tools = toTanStackTools(dispatcher, { tools: ['orders.cancel'] });
    const driver = createIsolateDriver({ executor: executor() });
    const typescriptCode = 'return external_orders_cancel({ customer: 1 })';
    const codeMode = createCodeMode({ driver, tools }).tools;
    const { result = '' } = await callOf(codeMode, 'execute_typescript', { typescriptCode });
    expect(JSON.parse(result)).toMatchObject({
      success: false,
      error: { message: 'orders.cancel was denied: not {"customer":1}' },
    });
    expect(calls).toEqual([]);
  });

  test('two tools that a model could not tell apart are refused', () => {
    const registry = new ToolRegistry();
    for (const name of ['a.b', 'a_b']) registry.register({ name, execute: () => 1 });
    const dispatcher = new Dispatcher({ registry });
    expect(() => toTanStackTools(dispatcher)).toThrow(
      expect.objectContaining({ code: 'INVALID_NAME', message: expect.stringContaining('a_b') }),
    );
  });
});

describe("TanStack's tools in a registry", () => {
  test('are called by code, with their schema and their errors', async () => {
    const registry = new ToolRegistry();
    const getWeather = toolDefinition({
      name: 'getWeather',
      description: 'The weather.',
      inputSchema: z.object({ place: z.string() }),
      outputSchema: z.object({ celsius: z.number() }),
    }).server(async ({ place }) => ({ celsius: place.length }));
    const asked = toolDefinition({
      name: 'asked',
      description: 'Needs approval.',
      needsApproval: true,
    }).server(async () => 'asked');
    registry.register(fromTanStackTool(getWeather));
    registry.register(fromTanStackTool(asked));
    const codeTool = createCodeTool({ registry, executor: executor() });
    expect(codeTool.description).toContain('get_weather(args: { place: string })');
    const { text } = await codeTool.execute({
      code: `return [
        await get_weather({ place: 'Oslo' }),
        await get_weather({ place: 7 }).catch(({ code }) => code),
        await asked().catch(({ code }) => code),
      ]`,
    });
    expect(text).toBe("Result:\n[ { celsius: 4 }, 'schema', 'denied' ]");
  });

  test('one without a function is refused', () => {
    const bare = { __toolSide: 'server', name: 'bare', description: '' } as const;
    expect(() => fromTanStackTool(bare)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS' }),
    );
  });
});
