import { Dispatcher, Executor, ToolRegistry } from '@glovebox/core';
import { serveJsonRpcHttp } from '@glovebox/core/json-rpc';
import { serialize, tuple } from '@glovebox/serializer';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

import { connect, openStdio, post } from '../support/json-rpc.ts';
import type { Message } from '../support/json-rpc.ts';

const executor = new Executor({ hosts: 2 });
const registry = new ToolRegistry();
registry.register({
  name: 'orders.total',
  description: 'The total of an order.',
  inputSchema: z.object({ id: z.number(), since: z.date().optional() }),
  idempotent: true,
  execute: ({ id, since }) => ({ total: id * 10, at: since ?? new Date(0) }),
});
registry.register({ name: 'echo', execute: (value: unknown) => value });
registry.register({ name: 'pay', needsApproval: true, execute: () => 'paid' });
registry.register({ name: 'score', source: 'console.log("scored"); return 7' });
registry.register({
  name: 'fail',
  execute: () => {
    throw Object.assign(new RangeError('too much'), { code: 'E_RANGE', details: { most: 1n } });
  },
});

const client = await connect('HTTP', { executor, registry, limits: { wallMs: 5000 } });
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await executor.close();
});

async function call(method: string, params?: object): Promise<Message> {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return (await client.exchange(text)) as Message;
}

describe('execute', () => {
  test('answers with an outcome', async () => {
    const params = { code: 'console.warn("hm"); return n * 2', variables: { n: 21 } };
    expect(await call('execute', params)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        ok: true,
        value: 42,
        logs: [{ level: 'warn', text: 'hm', at: expect.any(Number) }],
        usage: expect.objectContaining({ toolCalls: 0 }),
      },
    });
  });

  test('answers with an outcome where the code fails, too', async () => {
    const { result } = await call('execute', {
      code: '\nthrow new RangeError("no", { cause: 1 })',
    });
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'GUEST_ERROR', name: 'RangeError', message: 'no', line: 2, ran: 'yes' },
    });
  });

  test('lets code call the tools', async () => {
    const code = 'return Promise.all([1, 2].map(async (id) => (await orders.total({ id })).total))';
    expect((await call('execute', { code })).result).toMatchObject({ value: [10, 20] });
  });

  const when = new Date(5);
  const date = '{"__type__":"datetime","data":"1970-01-01T00:00:00.005+00:00"}';
  test.each<[string, object, string, unknown]>([
    ['JSON in, JSON out', { variables: { a: [1, null] } }, 'a', [1, null]],
    ['what JSON lacks, with tags', {}, 'new Date(5)', JSON.parse(date)],
    [
      'a plain object that looks like a tag',
      { variables: { a: JSON.parse(date) } },
      'a.data',
      '1970-01-01T00:00:00.005+00:00',
    ],
    ['safe: text in, JSON out', { variables: serialize({ a: when }) }, 'a.getTime()', 5],
    [
      'safe: text both ways',
      { variables: serialize({ a: when }), format: 'safe' },
      'new Map([[1, a]])',
      serialize(new Map([[1, when]])),
    ],
    ['nothing, as safe: text', { format: 'safe' }, 'undefined', serialize(undefined)],
    [
      'what Python writes, and reads',
      {
        variables:
          'safe:{"t": {"__type__": "tuple", "data": [1, 2]}, "n": NaN, "big": 123456789012345678901}',
        format: 'python',
      },
      '[Array.isArray(t), n, big + 1n, new Set([1])]',
      'safe:[true,NaN,123456789012345678902,{"__type__":"set","data":[1]}]',
    ],
    [
      'a tuple, for Python',
      { variables: serialize({ a: tuple(1, 2) }), format: 'python' },
      'a',
      serialize(tuple(1, 2)),
    ],
    ['nothing, for Python', { format: 'python' }, 'undefined', 'safe:null'],
  ])('carries %s', async (_what, params, expression, value) => {
    const { result } = await call('execute', { code: `return ${expression}`, ...params });
    expect(result).toMatchObject({ ok: true, value });
  });

  test('tells what Python cannot read', async () => {
    const code = 'return { rows: [/x/] }';
    const { result } = await call('execute', { code, format: 'python' });
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'UNSERIALIZABLE_RESULT', path: '.rows[0]', ran: 'yes' },
    });
  });

  test.each<[string, object, RegExp, object?]>([
    ['variables that are a list', { variables: [1] }, /variables must be an object/],
    ['variables that are other text', { variables: 'a=1' }, /variables must be an object/],
    ['variables that are text of a list', { variables: 'safe:[1]' }, /variables must be an object/],
    ['safe: text that is broken', { variables: 'safe:{"a":' }, /^variables: /],
    ['tokens of Python without its format', { variables: 'safe:{"a":NaN}' }, /^variables: /],
    [
      'a name that no variable can have',
      { variables: { let: 1 } },
      /reserved/,
      { code: 'INVALID_NAME' },
    ],
    [
      'the name __proto__',
      { variables: JSON.parse('{"__proto__":1}') },
      /__proto__/,
      { code: 'INVALID_NAME' },
    ],
    ['a limit without sense', { limits: { wallMs: 0 } }, /limits\.wallMs/],
    ['an unknown limit', { limits: { wall: 1 } }, /wall/],
    [
      'more time than there is',
      { limits: { wallMs: 5001 } },
      /limits\.wallMs must be at most 5000 on this server/,
      { path: 'limits.wallMs' },
    ],
    [
      'more memory than there is',
      { limits: { memoryMb: 129 } },
      /at most 128/,
      { path: 'limits.memoryMb' },
    ],
    ['an unknown format', { format: 'xml' }, /format/],
  ])('refuses %s', async (_what, params, message, data) => {
    const { error } = await call('execute', { code: '', ...params });
    expect(error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(message),
      ...(data && { data }),
    });
  });

  test('keeps to a limit that the client asks for', async () => {
    const { result } = await call('execute', { code: 'for (;;);', limits: { wallMs: 200 } });
    expect(result).toMatchObject({ ok: false, error: { code: 'WALL_LIMIT', limit: 200 } });
  });
});

describe('dispatch', () => {
  test('answers with the value of a tool', async () => {
    const params = { tool: 'orders.total', args: { id: 7 } };
    const at = { __type__: 'datetime', data: '1970-01-01T00:00:00.000+00:00' };
    expect((await call('dispatch', params)).result).toEqual({
      value: { total: 70, at },
      attempts: 1,
      cached: false,
      durationMs: expect.any(Number),
    });
  });

  test('reads arguments as safe: text', async () => {
    const since = new Date(5);
    const args = serialize({ id: 1, since });
    const { result } = await call('dispatch', { tool: 'orders.total', args, format: 'safe' });
    expect(result).toMatchObject({ value: serialize({ total: 10, at: since }) });
  });

  test('has the logs of a tool that is source', async () => {
    const { result } = await call('dispatch', { tool: 'score' });
    expect(result).toMatchObject({ value: 7, logs: [{ text: 'scored' }] });
  });

  test('knows a call by its key', async () => {
    const params = { tool: 'echo', args: { a: 1 }, idempotencyKey: 'once' };
    await call('dispatch', params);
    expect((await call('dispatch', params)).result).toMatchObject({ cached: true, attempts: 0 });
  });

  test.each<[string, object, number, object]>([
    ['no such tool', { tool: 'none' }, -32601, { kind: 'not_found', attempts: 0 }],
    ['a name of objects', { tool: '__proto__' }, -32601, { kind: 'not_found' }],
    [
      'arguments that do not fit',
      { tool: 'orders.total', args: { id: '7' } },
      -32602,
      { kind: 'schema', faults: [{ path: '/id' }] },
    ],
    [
      'a tool that fails',
      { tool: 'fail' },
      -32603,
      {
        kind: 'internal',
        name: 'RangeError',
        toolCode: 'E_RANGE',
        details: { most: { __type__: 'bigint', data: '1' } },
      },
    ],
    ['a call that needs approval', { tool: 'pay' }, -32603, { kind: 'denied' }],
    [
      'a value that Python cannot read',
      { tool: 'echo', args: serialize(/x/), format: 'python' },
      -32603,
      { kind: 'unserializable' },
    ],
  ])('tells of %s', async (_what, params, code, data) => {
    const { error } = await call('dispatch', params);
    expect(error).toMatchObject({ code, data });
  });

  test('refuses more time than there is', async () => {
    const { error } = await call('dispatch', { tool: 'score', timeoutMs: 5001 });
    expect(error).toMatchObject({ code: -32602, data: { path: 'timeoutMs' } });
  });
});

test('tools.list describes the tools, and types them', async () => {
  const { result } = await call('tools.list');
  expect(result?.['tools']).toHaveLength(5);
  expect(result).toMatchObject({
    tools: [
      {
        name: 'orders.total',
        description: 'The total of an order.',
        kind: 'trusted',
        idempotent: true,
        inputSchema: { properties: { id: { type: 'number' } } },
      },
      { name: 'echo' },
      { name: 'pay', needsApproval: true },
      { name: 'score', kind: 'untrusted' },
      { name: 'fail' },
    ],
    types: expect.stringContaining('total(args: { id: number; since?: Date })'),
  });
});

describe('notifications', () => {
  const code =
    'console.log("one"); await orders.total({ id: 1 }); await fail().catch(() => 0); console.error("two")';
  const request = (notifications: boolean): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 'n', method: 'execute', params: { code, notifications } });
  const told = [
    { method: 'log', params: { id: 'n', level: 'info', text: 'one' } },
    { method: 'event', params: { id: 'n', type: 'tool.start', tool: 'orders.total', callId: 1 } },
    {
      method: 'event',
      params: { id: 'n', type: 'tool.end', tool: 'orders.total', callId: 1, ok: true },
    },
    { method: 'event', params: { id: 'n', type: 'tool.start', tool: 'fail', callId: 2 } },
    {
      method: 'event',
      params: { id: 'n', type: 'tool.end', tool: 'fail', ok: false, kind: 'internal' },
    },
    { method: 'log', params: { id: 'n', level: 'error', text: 'two' } },
    { id: 'n', result: { ok: true } },
  ];

  test('come before the answer on a stream, where they are asked for', async () => {
    const { input, lines, server } = openStdio({ executor, registry });
    input.write(`${request(true)}\n`);
    const messages: unknown[] = [];
    while (messages.length < told.length) messages.push(await lines.next());
    expect(messages).toMatchObject(told);
    expect(messages.filter((message) => 'id' in (message as object))).toHaveLength(1);
    input.write(`${request(false)}\n`);
    expect(await lines.next()).toMatchObject({ id: 'n', result: { ok: true } });
    await server.close();
  });

  test('come line by line over HTTP, where the client accepts lines', async () => {
    await using server = await disposable(serveJsonRpcHttp({ executor, registry }));
    const lines = await post(server.url, request(true), { accept: 'application/x-ndjson' });
    expect(lines.headers['content-type']).toBe('application/x-ndjson');
    expect(
      lines.body
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject(told);
    const alone = await post(server.url, request(true));
    expect(alone.headers['content-type']).toBe('application/json');
    expect(JSON.parse(alone.body)).toMatchObject({ id: 'n', result: { ok: true } });
  });
});

describe('a server', () => {
  test('refuses calls beyond those that it takes at once', async () => {
    const { input, lines, server } = openStdio({ executor, registry, maxCalls: 1 });
    const wait = { jsonrpc: '2.0', id: 1, method: 'execute', params: { code: 'for (;;);' } };
    input.write(`${JSON.stringify(wait)}\n${JSON.stringify({ ...wait, id: 2 })}\n`);
    expect(await lines.next()).toMatchObject({
      id: 2,
      error: { code: -32000, data: { code: 'SERVER_BUSY', retryable: true } },
    });
    input.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'cancel', params: { id: 1 } })}\n`,
    );
    const answers = [await lines.next(), await lines.next()] as Message[];
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([1, 3]));
    await server.close();
  });

  test('asks whom its dispatcher asks', async () => {
    const dispatcher = new Dispatcher({ registry, approve: () => ({ decision: 'approve' }) });
    await using approving = await connect('stdio', { executor, dispatcher });
    const text = '{"jsonrpc":"2.0","id":1,"method":"dispatch","params":{"tool":"pay"}}';
    expect(await approving.exchange(text)).toMatchObject({ result: { value: 'paid' } });
  });

  test.each<[string, object, string]>([
    ['no executor', { executor: undefined }, 'executor'],
    ['a registry beside a dispatcher', { dispatcher: new Dispatcher({ registry }) }, 'registry'],
    ['an unknown option', { limit: {} }, 'limit'],
    ['another machine without token', { host: '0.0.0.0' }, 'token'],
    ['a token that is easily guessed', { token: 'secret' }, 'token'],
  ])('is not made with %s', async (_what, options, path) => {
    await expect(serveJsonRpcHttp({ executor, registry, ...options })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining(path),
    });
  });
});

async function disposable<T extends { close(): Promise<void> }>(
  opening: Promise<T>,
): Promise<T & AsyncDisposable> {
  const server = await opening;
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.close() });
}
