import { DISPATCH_KINDS, Dispatcher, toJsonRpcError, ToolRegistry } from '@glovebox/core';
import type { AnyTool, DispatchKind, DispatchRequest } from '@glovebox/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { counted, dispatcherOf, errorIn, valueIn } from '../support/dispatch.ts';

const inputSchema = z.object({ id: z.number(), size: z.number().default(10) });

test('a tool gets its arguments as the schema makes them, and its value comes back', async () => {
  const work = counted(({ id, size }: { id: number; size: number }) => id * size, { inputSchema });
  const result = await dispatcherOf({ tools: [work] }).dispatch<number>({
    tool: 'work',
    args: { id: 7, extra: 'is no matter' },
  });
  expect(result).toEqual({
    ok: true,
    value: 70,
    attempts: 1,
    cached: false,
    durationMs: expect.any(Number),
  });
  expect(work.calls).toEqual([{ id: 7, size: 10 }]);
});

test('a tool may be called without arguments, and return nothing', async () => {
  const work = counted(() => undefined);
  const result = await dispatcherOf({ tools: [work] }).dispatch({ tool: 'work' });
  expect(valueIn(result)).toBeUndefined();
});

describe('what keeps a tool from being called', () => {
  interface Refusal {
    readonly what: string;
    readonly request: unknown;
    readonly kind: DispatchKind;
    readonly code: number;
    readonly message: RegExp;
  }
  const refusals: readonly Refusal[] = [
    {
      what: 'an unknown tool',
      request: { tool: 'wrok', args: {} },
      kind: 'not_found',
      code: -32_601,
      message: /"wrok"/,
    },
    {
      what: 'a name that every object has',
      request: { tool: 'constructor' },
      kind: 'not_found',
      code: -32_601,
      message: /"constructor"/,
    },
    {
      what: 'a missing argument',
      request: { tool: 'work', args: {} },
      kind: 'schema',
      code: -32_602,
      message: /\/id /,
    },
    {
      what: 'no arguments at all',
      request: { tool: 'work' },
      kind: 'schema',
      code: -32_602,
      message: /work/,
    },
    {
      what: 'an argument of the wrong type',
      request: { tool: 'work', args: { id: 'seven' } },
      kind: 'schema',
      code: -32_602,
      message: /\/id .*number/,
    },
    {
      what: 'several faults',
      request: { tool: 'work', args: { size: true } },
      kind: 'schema',
      code: -32_602,
      message: /\/id .*; \/size /,
    },
    {
      what: 'an empty budget',
      request: { tool: 'work', args: { id: 1 }, budget: { remaining: 0 } },
      kind: 'budget_exceeded',
      code: -32_603,
      message: /budget/,
    },
    {
      what: 'a signal that has fired',
      request: { tool: 'work', args: { id: 1 }, signal: AbortSignal.abort() },
      kind: 'aborted',
      code: -32_603,
      message: /aborted/,
    },
    {
      what: 'a tool that is no name',
      request: { tool: 7 },
      kind: 'invalid_request',
      code: -32_600,
      message: /tool:/,
    },
    {
      what: 'a tool as a model or another machine might send one',
      request: { tool: { name: 'work', validateInput: {} }, args: { id: 1 } },
      kind: 'invalid_request',
      code: -32_600,
      message: /tool: must be the name of a tool/,
    },
    {
      what: 'a budget that is no number',
      request: { tool: 'work', args: { id: 1 }, budget: { remaining: NaN } },
      kind: 'invalid_request',
      code: -32_600,
      message: /budget:/,
    },
    {
      what: 'an option that is not known',
      request: { tool: 'work', args: { id: 1 }, timeout: 5 },
      kind: 'invalid_request',
      code: -32_600,
      message: /timeout/,
    },
    {
      what: 'a timeout that no timer has',
      request: { tool: 'work', args: { id: 1 }, timeoutMs: -1 },
      kind: 'invalid_request',
      code: -32_600,
      message: /timeoutMs:/,
    },
    {
      what: 'a request that is none',
      request: null,
      kind: 'invalid_request',
      code: -32_600,
      message: /object/,
    },
  ];
  test.each(refusals)('$what: $kind', async ({ request, kind, code, message }) => {
    const work = counted(() => 1, { inputSchema });
    const result = await dispatcherOf({ tools: [work] }).dispatch(request as DispatchRequest);
    const error = errorIn(result);
    expect(error).toMatchObject({ kind, code, attempts: 0, retryable: false });
    expect(error.message).toMatch(message);
    expect(result.attempts).toBe(0);
    expect(work.calls).toEqual([]);
  });

  test('faults of arguments have pointer, keyword and message', async () => {
    const tool: AnyTool = {
      name: 'work',
      inputSchema: {
        type: 'object',
        properties: { id: { type: 'integer' } },
        required: ['id', 'name'],
      },
      execute: () => 1,
    };
    const result = await dispatcherOf({ tools: [tool] }).dispatch({
      tool: 'work',
      args: { id: 1.5 },
    });
    const { faults = [] } = errorIn(result);
    expect(new Map(faults.map(({ path, keyword }) => [path, keyword]))).toEqual(
      new Map([
        ['/id', 'type'],
        ['/name', 'required'],
      ]),
    );
  });

  test('the schema is looked at before budget and person', async () => {
    const work = counted(() => 1, { inputSchema, needsApproval: true });
    const result = await dispatcherOf({ tools: [work] }).dispatch({
      tool: 'work',
      args: {},
      budget: { remaining: 0 },
    });
    expect(errorIn(result).kind).toBe('schema');
  });

  test('a schema whose own code throws', async () => {
    const broken = z.unknown().refine(() => {
      throw new Error('a bug in the schema');
    });
    const work = counted(() => 1, { inputSchema: broken });
    const result = await dispatcherOf({ tools: [work] }).dispatch({ tool: 'work' });
    expect(errorIn(result)).toMatchObject({
      kind: 'internal',
      message: 'The input schema of work failed: a bug in the schema',
    });
    expect(work.calls).toEqual([]);
  });
});

test('a tool that is not in the registry may be given for one call', async () => {
  const registry = new ToolRegistry();
  const tool = registry.register(counted(({ id }) => id * 2, { inputSchema }));
  const dispatcher = dispatcherOf({ tools: [] });
  expect(valueIn(await dispatcher.dispatch({ tool, args: { id: 4 } }))).toBe(8);
  expect(errorIn(await dispatcher.dispatch({ tool, args: {} })).kind).toBe('schema');
});

test.each([
  ['a budget that is frozen', { budget: Object.freeze({ remaining: 1 }) }],
  ['the same with a key', { budget: Object.freeze({ remaining: 1 }), idempotencyKey: 'step-1' }],
])('what the caller brings may fail without an exception: %s', async (_what, request) => {
  const dispatcher = dispatcherOf({ tools: [counted(() => 1)] });
  const dispatch = () => dispatcher.dispatch({ tool: 'work', ...request });
  expect(errorIn(await dispatch())).toMatchObject({ kind: 'internal', name: 'TypeError' });
  expect(errorIn(await dispatch())).toMatchObject({ kind: 'internal', name: 'TypeError' });
});

describe('what a tool does wrong', () => {
  test('an error keeps name, message, code and details, and is not tried again', async () => {
    const work = counted(() => {
      const error = new RangeError('too much');
      throw Object.assign(error, { code: 'E_RANGE', details: { most: new Date(7) } });
    });
    const result = await dispatcherOf({ tools: [work] }).dispatch({ tool: 'work' });
    expect(result).toEqual({
      ok: false,
      attempts: 1,
      durationMs: expect.any(Number),
      error: {
        kind: 'internal',
        code: -32_603,
        message: 'too much',
        attempts: 1,
        retryable: false,
        name: 'RangeError',
        toolCode: 'E_RANGE',
        details: { most: new Date(7) },
      },
    });
    expect(work.calls).toHaveLength(1);
  });

  test.each([
    ['a text', 'a text'],
    [undefined, 'undefined'],
    [
      Object.defineProperty({}, 'message', {
        get: () => {
          throw new Error('never');
        },
      }),
      '',
    ],
  ])('what is thrown may be anything: %o', async (thrown, message) => {
    const work = counted(() => {
      throw thrown;
    });
    const result = await dispatcherOf({ tools: [work] }).dispatch({ tool: 'work' });
    expect(errorIn(result)).toMatchObject({ kind: 'internal', name: 'Error', message });
  });

  test('details that are no data are left out', async () => {
    const work = counted(() => {
      throw Object.assign(new Error('no'), { details: { retry: () => 1 } });
    });
    const error = errorIn(await dispatcherOf({ tools: [work] }).dispatch({ tool: 'work' }));
    expect(error).not.toHaveProperty('details');
  });

  test('a result against the output schema', async () => {
    const work = counted(() => ({ total: 'many' }), {
      outputSchema: z.object({ total: z.number() }),
    });
    const error = errorIn(await dispatcherOf({ tools: [work] }).dispatch({ tool: 'work' }));
    expect(error).toMatchObject({ kind: 'output_schema', code: -32_603, attempts: 1 });
    expect(error.faults).toMatchObject([{ path: '/total' }]);
    expect(work.calls).toHaveLength(1);
  });

  test('a result comes as the output schema makes it', async () => {
    const work = counted(() => ({ total: 3, secret: 1 }), {
      outputSchema: z.object({ total: z.number() }),
    });
    const result = await dispatcherOf({ tools: [work] }).dispatch({ tool: 'work' });
    expect(valueIn(result)).toEqual({ total: 3 });
  });

  test('a result that is no data', async () => {
    const work = counted(() => ({ rows: [() => 1] }));
    const error = errorIn(await dispatcherOf({ tools: [work] }).dispatch({ tool: 'work' }));
    expect(error).toMatchObject({ kind: 'unserializable', path: '.rows[0]', attempts: 1 });
    expect(error.message).toContain('The result of work');
  });
});

test('an error is an error of JSON-RPC, with the rest as its data', async () => {
  const error = errorIn(await dispatcherOf({ tools: [] }).dispatch({ tool: 'gone' }));
  expect(toJsonRpcError(error)).toEqual({
    code: -32_601,
    message: 'There is no tool named "gone".',
    data: { kind: 'not_found', attempts: 0, retryable: false },
  });
});

test('every kind has a code of JSON-RPC for errors', () => {
  for (const { jsonRpcCode } of Object.values(DISPATCH_KINDS)) {
    expect(jsonRpcCode).toBeGreaterThanOrEqual(-32_768);
    expect(jsonRpcCode).toBeLessThanOrEqual(-32_000);
  }
});

test.each([
  ['no registry', {}, 'registry'],
  ['no attempts', { maxAttempts: 0 }, 'maxAttempts'],
  ['no places', { concurrency: 0 }, 'concurrency'],
  ['a timeout without end', { timeoutMs: Infinity }, 'timeoutMs'],
  ['a circuit that opens by itself', { circuitBreaker: { failures: 0 } }, 'circuitBreaker'],
  ['an option that is not known', { retries: 3 }, ''],
])('a dispatcher refuses %s', (_what, options, path) => {
  const registry = path === 'registry' ? undefined : new ToolRegistry();
  expect(() => new Dispatcher({ registry, ...options } as never)).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS', path: expect.stringMatching(`^${path}`) }),
  );
});
