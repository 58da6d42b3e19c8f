import { createBrowserCodeTool } from '@cloudflare/codemode/browser';
import type { ExecuteResult, Executor as CodemodeExecutor } from '@cloudflare/codemode/browser';
import { createCodeTool, tanstackTools } from '@cloudflare/codemode/tanstack-ai';
import { createCodemodeExecutor, toCodemodeTools } from '@glovebox/core/codemode';
import { chat, EventType, toolDefinition } from '@tanstack/ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { ScriptedModel } from '../../examples/adapters/models/tanstack.ts';
import { describeAdapter } from '../support/adapter-contract.ts';
import { collect, forever, RICH, setUpTools, useExecutor } from '../support/adapters.ts';

const executor = useExecutor();

type Functions = Record<string, (...args: unknown[]) => Promise<unknown>>;

async function one(): Promise<unknown> {
  return 1;
}

function codemode(wallMs = 10_000): CodemodeExecutor {
  return createCodemodeExecutor({ executor: executor(), limits: { wallMs } });
}

function execute(code: string, fns: Functions = {}, wallMs?: number): Promise<ExecuteResult> {
  return codemode(wallMs).execute(code, [{ name: 'codemode', fns }]);
}

describe('the executor', () => {
  test('passes values exactly, in both directions, with any number of arguments', async () => {
    const seen: unknown[][] = [];
    const fns: Functions = {
      echo: async (...args) => {
        seen.push(args);
        return RICH;
      },
    };
    const code = 'async () => codemode.echo(new Date(7), new Set([undefined, NaN]))';
    expect(await execute(code, fns)).toStrictEqual({ result: RICH, logs: [] });
    expect(seen).toStrictEqual([[new Date(7), new Set([undefined, NaN])]]);
  });

  test('bytes are not mistaken for data that looks like them', async () => {
    const data = { __codemode_binary_v1__: 'Uint8Array', data: 'AQI=' };
    const fns: Functions = { echo: async (input) => input };
    const code = `async () => codemode.echo(${JSON.stringify(data)})`;
    expect(await execute(code, fns)).toStrictEqual({ result: data, logs: [] });
  });

  test.each([
    ['a loop', 'async () => { for (;;); }'],
    ['a promise that never settles', 'async () => new Promise(() => {})'],
    ['a tool that never answers', 'async () => codemode.hang()'],
  ])('ends %s at the limit', async (_what, code) => {
    expect(await execute(code, { hang: forever }, 300)).toEqual({
      result: undefined,
      error: 'WALL_LIMIT: The run took longer than 300 ms.',
      logs: [],
    });
  });

  test.each([
    ['a tool that throws', 'async () => codemode.pay()', 'RangeError: too much (code E_RANGE)'],
    ['a plain error', "async () => { throw new Error('no') }", 'no'],
    ['an error without a message', "async () => { throw new Error('') }", 'Error'],
    ['a thrown text', "async () => { throw 'no' }", 'no'],
    ['an unknown tool', 'async () => codemode.nothing()', 'Tool "nothing" not found'],
    ['a tool of every object', 'async () => codemode.toString()', 'Tool "toString" not found'],
    ['a name of every object', 'async () => codemode.__proto__()', 'Tool "__proto__" not found'],
    ['code that is none', 'async () => {', 'SyntaxError: '],
    ['a call that is forged', 'async () => __callCodemode({ namespace: 1 })', 'ZodError: '],
    [
      'a function of another',
      "async () => __callCodemode({ namespace: 'x', tool: 'pay', args: [] })",
      'Tool "pay" not found',
    ],
    ['a result that cannot cross', 'async () => () => 1', 'UNSERIALIZABLE_RESULT: '],
  ])('tells of %s, and does not throw', async (_what, code, message) => {
    const fns: Functions = {
      pay: async () => {
        throw Object.assign(new RangeError('too much'), { code: 'E_RANGE' });
      },
    };
    const { result, error } = await execute(code, fns);
    expect(result).toBe(undefined);
    expect(error).toSatisfy((text: string) => text.startsWith(message));
  });

  test('code can catch what a tool throws, with its name and code', async () => {
    const fns: Functions = {
      pay: async () => {
        throw Object.assign(new RangeError('too much'), { code: 'E_RANGE' });
      },
    };
    const code = 'async () => codemode.pay().catch(({ name, code }) => [name, code])';
    expect(await execute(code, fns)).toEqual({ result: ['RangeError', 'E_RANGE'], logs: [] });
  });

  test.each([
    ['async () => 1;'],
    ['async () => 1; \n'],
    ['async () => 1 // one'],
    ['async (): Promise<number> => 1'],
  ])('runs %j', async (code) => {
    expect(await execute(code)).toEqual({ result: 1, logs: [] });
  });

  test('logs have the prefixes of codemode', async () => {
    const code = "async () => { console.log('a'); console.warn('b'); console.error('c'); }";
    expect(await execute(code)).toEqual({
      result: undefined,
      logs: ['a', '[warn] b', '[error] c'],
    });
  });

  test('a name is found as models are told of it', async () => {
    const fns: Functions = { 'my-tool.x': one, '2nd': one, delete: one };
    const code = `async () => Promise.all([
      codemode.my_tool_x(), codemode._2nd(), codemode.delete_(), codemode.delete(),
    ]) // the end`;
    expect(await execute(code, fns)).toEqual({ result: [1, 1, 1, 1], logs: [] });
  });

  test('several providers, a prelude, and functions without a provider', async () => {
    const prelude = `
      // A comment.
      state.twice = async (run) => [await run(), await run()];`;
    let count = 0;
    const next = async (): Promise<unknown> => ++count;
    const providers = [
      { name: 'codemode', fns: { next } },
      { name: 'state', fns: { next }, prelude },
    ];
    const code = 'async () => [await state.twice(() => codemode.next()), await state.next()]';
    expect(await codemode().execute(code, providers)).toEqual({ result: [[1, 2], 3], logs: [] });
    const bare = await codemode().execute('async () => codemode.next()', { next });
    expect(bare).toEqual({ result: 4, logs: [] });
  });

  test('connectors are called by any name, and pause or fail as they say', async () => {
    const calls: unknown[] = [];
    const answers: Record<string, unknown> = {
      pause: { __codemode_control__: 'pause' },
      fail: { __codemode_control__: 'error', message: 'not today' },
    };
    const callTool = async (method: string, args: unknown): Promise<unknown> => {
      calls.push([method, args]);
      return answers[method] ?? RICH;
    };
    const connectors = [{ name: 'github', binding: { callTool } }];
    const run = (code: string): Promise<ExecuteResult> =>
      codemode().execute(code, [], { connectors });
    expect(await run('async () => github.list({ at: new Date(1) })')).toEqual({
      result: RICH,
      logs: [],
    });
    expect(await run('async () => github.pause()')).toMatchObject({ error: '__CODEMODE_PAUSE__' });
    expect(await run('async () => github.fail()')).toMatchObject({ error: 'not today' });
    expect(calls).toEqual([
      ['list', { at: new Date(1) }],
      ['pause', undefined],
      ['fail', undefined],
    ]);
  });

  test.each([
    ['a reserved word', ['class'], 'The name "class" cannot be used in code.'],
    ['a global', ['Promise'], 'The name "Promise" cannot be used in code.'],
    ['code', ['a = 1; //'], 'The name "a = 1; //" cannot be used in code.'],
    ['ours', ['__callCodemode'], 'The name "__callCodemode" cannot be used in code.'],
    ['one name twice', ['a', 'a'], 'Two providers or connectors have the name "a".'],
  ])('a provider named %s is refused', async (_what, names, error) => {
    const providers = names.map((name) => ({ name, fns: {} }));
    expect(await codemode().execute('async () => 1', providers)).toEqual({
      result: undefined,
      error,
    });
  });

  test('two tools of one name in code are refused', async () => {
    const { error } = await execute('async () => 1', { 'a-b': one, a_b: one });
    expect(error).toBe('Two tools of "codemode" have the name "a_b" in code.');
  });
});

describeAdapter(executor, {
  code: [
    {
      title: "codemode's tools with this executor",
      nameOf: (name) => `codemode.${name.replace('.', '_')}`,
      run: async ({ dispatcher }, code, { wallMs }) => {
        const tools = toCodemodeTools(dispatcher);
        const tool = createBrowserCodeTool({ tools, executor: codemode(wallMs) });
        try {
          const { result } = await tool.execute({ code });
          return { failed: false, values: [result] };
        } catch (error) {
          return { text: String(error), failed: true };
        }
      },
      errors: {
        endless: /^Error: Code execution failed: WALL_LIMIT: The run took longer than 300 ms\.$/,
        thrown: /^Error: Code execution failed: RangeError: too much \(code E_RANGE\)$/,
      },
    },
  ],
});

describe("codemode's code tool", () => {
  test('tells models of the tools', () => {
    const { dispatcher } = setUpTools(executor());
    const tools = toCodemodeTools(dispatcher);
    const tool = createBrowserCodeTool({ tools, executor: codemode() });
    expect(tool.description).toContain('orders_total: (input: OrdersTotalInput)');
  });

  test('tells of an endless guest, also when it has logged', async () => {
    const tool = createBrowserCodeTool({ tools: {}, executor: codemode(200) });
    await expect(tool.execute({ code: "console.log('begun'); for (;;);" })).rejects.toThrow(
      'Code execution failed: WALL_LIMIT: The run took longer than 200 ms.',
    );
  });

  test('a tool that needs approval gets it from the dispatcher', async () => {
    const { dispatcher, calls } = setUpTools(executor(), {
      approve: ({ args }) => ({ decision: 'edit', args: { ...(args as object), customer: 9 } }),
    });
    const tool = createBrowserCodeTool({
      tools: toCodemodeTools(dispatcher),
      executor: codemode(),
    });
    const output = await tool.execute({ code: 'codemode.orders_cancel({ customer: 1 })' });
    expect(output).toEqual({ result: 'cancelled' });
    expect(calls).toEqual([{ tool: 'orders.cancel', args: { customer: 9 } }]);
  });

  test('a model of TanStack AI calls the tool', async () => {
    const double = toolDefinition({
      name: 'double',
      description: 'Twice.',
      inputSchema: z.object({ n: z.number() }),
      outputSchema: z.number(),
    }).server(async ({ n }) => n * 2);
    const tool = createCodeTool({ tools: [tanstackTools([double])], executor: codemode() });
    const stream = chat({
      adapter: new ScriptedModel('codemode_execute', {
        code: 'async () => { const doubled = await codemode.double({ n: 21 }); return doubled }',
      }),
      messages: [{ role: 'user', content: 'Go.' }],
      tools: [tool],
    });
    const chunks = await collect(stream);
    const result = chunks.find((chunk) => chunk.type === EventType.TOOL_CALL_RESULT);
    expect(result?.content).toBe('{"result":42}');
  });
});
