import { setTimeout as delay } from 'node:timers/promises';

import { Executor } from '@glovebox/core';
import type { AnyTool, DispatchError, DispatchRequest, OutcomeError } from '@glovebox/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { counted, dispatcherOf, errorIn, valueIn } from '../support/dispatch.ts';
import { describeEachPool } from '../support/pools.ts';

describeEachPool('a tool that is source', (executor) => {
  const dispatch = (source: string, request: Partial<DispatchRequest> = {}, more: object = {}) =>
    dispatcherOf({
      tools: [
        { name: 'work', source, ...more },
        counted(({ id }: { id: number }) => id * 10, { name: 'rows.page' }),
        counted(() => 'secret', { name: 'secret' }),
      ],
      executor: executor(),
    }).dispatch({ tool: 'work', ...request });

  test.each([
    ['properties are variables', 'return a * b', { a: 6, b: 7 }, 42],
    ['all of them are args', 'return args.a + args["not a name"]', { a: 1, 'not a name': 2 }, 3],
    [
      'what cannot be a variable is in args alone',
      'return [typeof Date, args.Date]',
      { Date: 1 },
      ['function', 1],
    ],
    ['a property named args does not hide the whole', 'return args', { args: 1 }, { args: 1 }],
    ['args may be a list', 'return args.length', [1, 2, 3], 3],
    ['args may be one value', 'return args + 1', 41, 42],
    ['args may be missing', 'return args', undefined, undefined],
    [
      'values pass exactly',
      'return [at instanceof Date, map]',
      { at: new Date(7), map: new Map([[1, 2n]]) },
      [true, new Map([[1, 2n]])],
    ],
    ['TypeScript is taken as well', 'const n: number = a; return n', { a: 1 }, 1],
  ])('%s', async (_what, source, args, expected) => {
    expect(valueIn(await dispatch(source, { args }))).toStrictEqual(expected);
  });

  test('its arguments are checked first, and come as the schema makes them', async () => {
    const inputSchema = z.object({ a: z.number().default(5) });
    expect(valueIn(await dispatch('return a', { args: {} }, { inputSchema }))).toBe(5);
    const wrong = await dispatch('return a', { args: { a: 'x' } }, { inputSchema });
    expect(errorIn(wrong)).toMatchObject({ kind: 'schema', attempts: 0 });
  });

  test('its log comes with the result, good or bad', async () => {
    const good = await dispatch("console.log('so far'); return 1");
    const bad = await dispatch("console.warn('so good'); throw new Error('no')");
    expect([good.logs, bad.logs]).toMatchObject([
      [{ level: 'info', text: 'so far' }],
      [{ level: 'warn', text: 'so good' }],
    ]);
  });

  test('it calls the tools that it uses, through the same checks', async () => {
    const uses = ['rows.page'];
    const result = await dispatch(
      'return (await rows.page({ id: a })) + 1',
      { args: { a: 4 } },
      { uses },
    );
    expect(valueIn(result)).toBe(41);
  });

  test('it calls no others', async () => {
    const source = 'return [typeof secret, typeof tools.secret, typeof rows, Object.keys(tools)]';
    expect(valueIn(await dispatch(source))).toEqual(['undefined', 'undefined', 'undefined', []]);
  });

  test('a tool that it uses hides a property of that name', async () => {
    const args = { rows: 1 };
    const result = await dispatch(
      'return [typeof rows.page, args.rows]',
      { args },
      { uses: ['rows.page'] },
    );
    expect(valueIn(result)).toEqual(['function', 1]);
  });

  test('a tool that it uses but nobody has is an error in the source', async () => {
    const source = 'return gone().catch((error) => [error.name, error.code, error.message])';
    expect(valueIn(await dispatch(source, {}, { uses: ['gone'] }))).toEqual([
      'ToolCallError',
      'not_found',
      'There is no tool named "gone".',
    ]);
  });

  interface Failure {
    readonly what: string;
    readonly source: string;
    readonly more?: object;
    readonly error: Partial<DispatchError>;
  }
  const failures: readonly Failure[] = [
    {
      what: 'throws',
      source: "throw Object.assign(new RangeError('too much'), { code: 'E_RANGE' })",
      error: {
        kind: 'internal',
        outcomeCode: 'GUEST_ERROR',
        name: 'RangeError',
        message: 'too much',
        toolCode: 'E_RANGE',
        attempts: 1,
      },
    },
    {
      what: 'throws again and again what says that it is transient',
      source: "throw Object.assign(new Error('busy'), { name: 'TransientError' })",
      error: { kind: 'internal', attempts: 1 },
    },
    {
      what: 'does not compile',
      source: 'return (',
      error: { kind: 'internal', outcomeCode: 'SYNTAX_ERROR', attempts: 1 },
    },
    {
      what: 'never ends',
      source: 'for (;;);',
      more: { timeoutMs: 100 },
      error: { kind: 'timeout', outcomeCode: 'WALL_LIMIT', attempts: 1, retryable: false },
    },
    {
      what: 'never settles, and may be called twice',
      source: 'await new Promise(() => {})',
      more: { timeoutMs: 100, idempotent: true },
      error: { kind: 'timeout', outcomeCode: 'WALL_LIMIT', attempts: 3, retryable: true },
    },
    {
      what: 'takes longer than its own limit',
      source: 'await new Promise(() => {})',
      more: { timeoutMs: 60_000, limits: { wallMs: 100 } },
      error: { kind: 'timeout', message: 'work: The run took longer than 100 ms.' },
    },
    {
      what: 'returns what is no data',
      source: 'return { rows: [() => 1] }',
      error: { kind: 'unserializable', outcomeCode: 'UNSERIALIZABLE_RESULT', path: '.rows[0]' },
    },
    {
      what: 'returns too much',
      source: "return 'x'.repeat(2000)",
      more: { limits: { resultBytes: 1000 } },
      error: { kind: 'internal', outcomeCode: 'RESULT_LIMIT' },
    },
    {
      what: 'returns what does not fit its output schema',
      source: "return { total: 'many' }",
      more: { outputSchema: z.object({ total: z.number() }) },
      error: { kind: 'output_schema', attempts: 1 },
    },
    {
      what: 'uses itself',
      source: 'return work()',
      more: { uses: ['work'] },
      error: {
        kind: 'internal',
        name: 'ToolCallError',
        toolCode: 'recursion',
        message: 'work is already running: work → work.',
      },
    },
  ];
  test.each(failures)('that $what', async ({ source, more, error }) => {
    expect(errorIn(await dispatch(source, {}, more))).toMatchObject(error);
  });

  test('arguments that cannot cross to it', async () => {
    const result = await dispatch('return 1', { args: { rows: [() => 1] } });
    expect(errorIn(result)).toMatchObject({ kind: 'unserializable', attempts: 1 });
  });

  test('a caller who gives up', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    const result = await dispatch('for (;;);', { signal: controller.signal });
    expect(errorIn(result)).toMatchObject({ kind: 'aborted', attempts: 1 });
    expect(result.durationMs).toBeLessThan(50 + 1000);
  });

  test('a key is free at once when its only caller gave up, though the box takes a while', async () => {
    const controller = new AbortController();
    const gate = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const turn = counted(
      () => {
        begun.resolve();
        return turn.calls.length === 1 ? 'stay' : gate.promise;
      },
      { name: 'turn' },
    );
    const source = "const what = await turn(); if (what === 'stay') for (;;); return what";
    const dispatcher = dispatcherOf({
      tools: [turn, { name: 'work', source, uses: ['turn'] }],
      executor: executor(),
    });
    const call = { tool: 'work', idempotencyKey: 'step-1' };
    const first = dispatcher.dispatch({ ...call, signal: controller.signal });
    await begun.promise;
    controller.abort();
    expect(errorIn(await first).kind).toBe('aborted');
    const second = dispatcher.dispatch(call);
    // By then the first run has been ended.
    await delay(300);
    const third = dispatcher.dispatch(call);
    gate.resolve('done');
    expect([valueIn(await second), valueIn(await third)]).toEqual(['done', 'done']);
    expect(turn.calls).toHaveLength(2);
  });

  test('tools that use each other in a circle', async () => {
    const tools: AnyTool[] = [
      { name: 'ping', source: 'return pong()', uses: ['pong'] },
      { name: 'pong', source: 'return ping().catch((error) => error.message)', uses: ['ping'] },
    ];
    const dispatcher = dispatcherOf({ tools, executor: executor() });
    const result = await dispatcher.dispatch({ tool: 'ping' });
    expect(valueIn(result)).toBe('ping is already running: ping → pong → ping.');
  });

  test('a budget holds for what it calls', async () => {
    const source =
      'return [await rows.page({ id: 1 }), await rows.page({ id: 2 }).catch((e) => e.code)]';
    const result = await dispatch(source, { budget: { remaining: 2 } }, { uses: ['rows.page'] });
    expect(valueIn(result)).toEqual([10, 'budget_exceeded']);
  });
});

test('without an executor a tool that is source fails, and says how to give one', async () => {
  const dispatcher = dispatcherOf({ tools: [{ name: 'work', source: 'return 1' }] });
  expect(errorIn(await dispatcher.dispatch({ tool: 'work' }))).toMatchObject({
    kind: 'internal',
    message: 'work runs in the sandbox: give the Dispatcher an executor.',
  });
});

test('with an executor that was closed it fails', async () => {
  const executor = new Executor({ pool: 'thread', hosts: 1 });
  await executor.close();
  const dispatcher = dispatcherOf({ tools: [{ name: 'work', source: 'return 1' }], executor });
  expect(errorIn(await dispatcher.dispatch({ tool: 'work' }))).toMatchObject({
    kind: 'internal',
    toolCode: 'EXECUTOR_CLOSED',
  });
});

test('a queue that is full is transient, and the call is tried again', async () => {
  await using executor = new Executor({ pool: 'thread', hosts: 1, maxQueue: 0 });
  await executor.ready();
  const busy = executor.run({ code: 'await new Promise((resolve) => setTimeout(resolve, 100))' });
  await delay(5);
  const dispatcher = dispatcherOf({
    tools: [{ name: 'work', source: 'return 1' }],
    executor,
    sleep: async () => void (await busy),
  });
  expect(await dispatcher.dispatch({ tool: 'work' })).toMatchObject({ value: 1, attempts: 2 });
});

describe('how a lost host is told', () => {
  test.each<[OutcomeError['ran'], Partial<DispatchError>]>([
    ['no', { kind: 'transient', attempts: 3, retryable: true }],
    ['maybe', { kind: 'internal', attempts: 1, retryable: false }],
  ])('where the source has run: %s', async (ran, expected) => {
    // No pool loses hosts on demand without having run the source: the outcome is given instead.
    const executor: Pick<Executor, 'run'> = {
      run: async () => ({
        ok: false,
        error: { code: 'HOST_LOST', name: 'HOST_LOST', message: 'Gone.', ran, retryable: true },
        logs: [],
        usage: {
          wallMs: 0,
          cpuMs: 0,
          queueMs: 0,
          heapBytes: 0,
          toolCalls: 0,
          resultBytes: 0,
          logBytes: 0,
          hostId: '',
        },
      }),
    };
    const tools: AnyTool[] = [{ name: 'work', source: 'return 1', idempotent: true }];
    const error = errorIn(await dispatcherOf({ tools, executor }).dispatch({ tool: 'work' }));
    expect(error).toMatchObject({ ...expected, outcomeCode: 'HOST_LOST' });
  });
});
