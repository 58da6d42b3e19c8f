import { request as httpRequest } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

import { Dispatcher, Executor } from '@glovebox/core';
import type { Planner } from '@glovebox/core';
import { serveJsonRpcHttp } from '@glovebox/core/json-rpc';
import { serveMcpHttp } from '@glovebox/core/mcp';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import registry from '../fixtures/mcp-tools.ts';
import { openStdio, post } from '../support/json-rpc.ts';
import type { Message } from '../support/json-rpc.ts';
import { connectMcp, httpTransport, textOf } from '../support/mcp.ts';

const executor = new Executor({ hosts: 2 });
afterAll(() => executor.close());

const busySlots = (): number => executor.stats().busySlots;

/** Calls what fails first, and then goes round it. */
const planner: Planner = (_goal, _history, lastError) =>
  lastError === null
    ? [{ id: 1, toolName: 'fail' }]
    : [{ id: 2, toolName: 'orders.total', args: { id: 7 } }];

const options = () => ({
  executor,
  planner,
  dispatcher: new Dispatcher({ registry, executor, maxAttempts: 1 }),
});

const PLAN = [
  { id: 1, toolName: 'orders.total', args: { id: 3 } },
  { id: 2, code: 'return a * 2', args: { a: { $result: 1, path: '/total' } } },
];

interface Conversation extends AsyncDisposable {
  send(message: object): void;
  next(): Promise<Message>;
  /** Sends a request on the side, and gives its answer. */
  aside(message: object): Promise<Message>;
}

function overStdio(): Promise<Conversation> {
  const { input, lines, server } = openStdio(options());
  const write = (message: object): void =>
    void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return Promise.resolve({
    send: write,
    next: async () => (await lines.next()) as Message,
    async aside(message: object) {
      write(message);
      return (await lines.next()) as Message;
    },
    [Symbol.asyncDispose]: () => server.close(),
  });
}

async function overHttp(): Promise<Conversation> {
  const server = await serveJsonRpcHttp(options());
  const lines = Promise.withResolvers<AsyncIterator<string>>();
  return {
    send(message) {
      const request = httpRequest(server.url, {
        method: 'POST',
        headers: { accept: 'application/x-ndjson', 'content-type': 'application/json' },
      });
      request.on('response', (input) =>
        lines.resolve(createInterface({ input })[Symbol.asyncIterator]()),
      );
      request.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
    },
    next: async () => JSON.parse((await (await lines.promise).next()).value as string) as Message,
    aside: async (message) => {
      const { body } = await post(server.url, JSON.stringify({ jsonrpc: '2.0', ...message }));
      return JSON.parse(body) as Message;
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

const run = (params: object) => ({ id: 1, method: 'run', params: { goal: 'a sum', ...params } });

describe.each([
  ['stdio', overStdio],
  ['HTTP', overHttp],
])('run, as a method of JSON-RPC over %s', (_carrier, connect) => {
  test('carries out a plan', async () => {
    await using client = await connect();
    client.send(run({ plan: PLAN }));
    expect((await client.next()).result).toMatchObject({
      status: 'completed',
      reason: 'goal_met',
      history: [
        { id: 1, tool: 'orders.total', error: null },
        { id: 2, result: 60, error: null },
      ],
    });
  });

  test('asks the planner of the server, and tells of each event', async () => {
    await using client = await connect();
    client.send(run({ notifications: true }));
    const heard: unknown[] = [];
    let message = await client.next();
    for (; message.result === undefined; message = await client.next()) {
      expect(message).toMatchObject({ method: 'event', params: { id: 1 } });
      heard.push(message.params?.['type']);
    }
    expect(message.result).toMatchObject({ status: 'completed', revisions: [{ revision: 1 }] });
    expect(heard.filter((type) => !String(type).startsWith('tool.'))).toEqual([
      'plan.commit',
      'step.start',
      'step.end',
      'plan.draft',
      'plan.diff',
      'plan.commit',
      'step.start',
      'step.end',
      'session.complete',
    ]);
  });

  test('asks a person about the plan, who may approve it, or edit it', async () => {
    await using client = await connect();
    client.send(run({ plan: PLAN, review: true, approval: true }));
    const question = await client.next();
    expect(question).toMatchObject({
      method: 'approval',
      params: { id: 1, tool: 'plan', args: { steps: [{ id: 1 }, { id: 2 }] } },
    });
    const approval = question.params?.['approval'];
    const edit = { decision: 'edit', args: { steps: [{ id: 5, code: 'return 5' }] } };
    const answered = await client.aside({
      id: 2,
      method: 'approve',
      params: { approval, ...edit },
    });
    // Over one stream, the answer of `run` may come first.
    const other = await client.next();
    const [first, second] = answered.id === 2 ? [answered, other] : [other, answered];
    expect(first.result).toEqual({ answered: true });
    const reviewed = second.method === 'approval' ? second : undefined;
    expect(reviewed).toBeUndefined();
    expect(second.result).toMatchObject({ status: 'completed', history: [{ id: 5, result: 5 }] });
  });

  test('carries out nothing of a plan that was denied', async () => {
    await using client = await connect();
    client.send(run({ plan: PLAN, review: true, approval: true }));
    const { params } = await client.next();
    const answer = { approval: params?.['approval'], decision: 'deny', reason: 'too dear' };
    await client.aside({ id: 2, method: 'approve', params: answer });
    expect(await client.next()).toMatchObject({
      result: { status: 'failed', reason: 'rejected', message: 'too dear', history: [] },
    });
  });

  test('asks about a call that needs a yes', async () => {
    await using client = await connect();
    const plan = [{ id: 1, toolName: 'pay', args: { amount: 50 } }];
    client.send(run({ plan, approval: true }));
    const { params } = await client.next();
    expect(params).toMatchObject({ tool: 'pay', args: { amount: 50 } });
    const answer = { approval: params?.['approval'], decision: 'approve' };
    await client.aside({ id: 2, method: 'approve', params: answer });
    expect(await client.next()).toMatchObject({ result: { history: [{ result: 'paid 50' }] } });
  });

  test.each([
    ['a plan that is none', { plan: [{ id: 'x' }] }, { result: { reason: 'bad_plan' } }],
    ['a review by nobody', { plan: PLAN, review: true }, { error: { code: -32_602 } }],
    ['a budget beyond the most', { maxSteps: 1000 }, { error: { code: -32_602 } }],
    ['a goal that is no text', { goal: 7 }, { error: { code: -32_602 } }],
    ['a field too many', { goals: 1 }, { error: { code: -32_602 } }],
  ])('says what is wrong with %s', async (_what, params, expected) => {
    await using client = await connect();
    client.send(run(params));
    expect(await client.next()).toMatchObject(expected);
  });

  test('knows no answer to a question that nobody asked', async () => {
    await using client = await connect();
    const answer = { approval: 'guessed', decision: 'approve' };
    const { result } = await client.aside({ id: 2, method: 'approve', params: answer });
    expect(result).toEqual({ answered: false });
  });
});

test('a run that is cancelled stops what is under way, and can say where it stood', async () => {
  await using client = await overStdio();
  const plan = [
    { id: 1, code: 'return 1' },
    { id: 2, code: 'for (;;);', limits: { wallMs: 20_000 } },
  ];
  client.send({ id: 1, method: 'run', params: { goal: 'x', plan, notifications: true } });
  for (let started = 0; started < 2;) {
    if ((await client.next()).params?.['type'] === 'step.start') started++;
  }
  const cancelledAt = performance.now();
  client.send({ method: '$/cancelRequest', params: { id: 1 } });
  let message = await client.next();
  while (message.result === undefined) message = await client.next();
  expect(message.result).toMatchObject({ status: 'interrupted', history: [{ id: 1, result: 1 }] });
  expect(performance.now() - cancelledAt).toBeLessThan(1000);
});

test('a server without a planner wants the plan', async () => {
  const server = await serveJsonRpcHttp({ executor, registry });
  const text = '{"jsonrpc":"2.0","id":1,"method":"run","params":{"goal":"x"}}';
  const { body } = await post(server.url, text);
  await server.close();
  expect(JSON.parse(body)).toMatchObject({
    error: { code: -32_602, message: 'This server has no planner: send a plan.' },
  });
});

describe.each(['legacy', 'modern'] as const)('run, as a tool of MCP, %s protocol', (era) => {
  let server: Awaited<ReturnType<typeof serveMcpHttp>>;
  let client: Client;
  const asked: string[] = [];
  let approve = true;
  beforeAll(async () => {
    server = await serveMcpHttp(options());
    client = await connectMcp(httpTransport(server.url), {
      era,
      answer: (message) => {
        asked.push(message);
        return { action: 'accept', content: { approve, reason: 'no' } };
      },
    });
  });
  afterAll(async () => {
    await client.close();
    await server.close();
  });

  test('carries out a plan, and tells how it goes', async () => {
    const heard: (string | undefined)[] = [];
    const result = await client.callTool(
      { name: 'run', arguments: { goal: 'a sum', plan: PLAN } },
      { onprogress: ({ message }) => heard.push(message) },
    );
    expect(result.structuredContent).toMatchObject({ status: 'completed', reason: 'goal_met' });
    expect(textOf(result)).toContain('completed: goal_met');
    expect(heard).toContain('revision 0: 2 steps');
    expect(heard).toContain('step 2: ok');
  });

  test('lets a person see the plan first', async () => {
    asked.length = 0;
    approve = true;
    const reviewed = { name: 'run', arguments: { goal: 'a sum', plan: PLAN, review: true } };
    expect((await client.callTool(reviewed)).structuredContent).toMatchObject({
      status: 'completed',
    });
    expect(asked[0]).toContain('Revision 0 of the plan for: a sum.');
    approve = false;
    const denied = await client.callTool(reviewed);
    expect(denied).toMatchObject({
      isError: true,
      structuredContent: { reason: 'rejected', history: [] },
    });
  });

  test('asks the planner of the server', async () => {
    const result = await client.callTool({ name: 'run', arguments: { goal: 'a sum' } });
    expect(result.structuredContent).toMatchObject({
      status: 'completed',
      history: [
        { id: 1, error: 'RangeError: too much' },
        { id: 2, error: null },
      ],
    });
  });

  test('is stopped by a client that does not want it any more', async () => {
    const abort = new AbortController();
    const plan = [{ id: 1, code: 'for (;;);', limits: { wallMs: 20_000 } }];
    const call = client.callTool(
      { name: 'run', arguments: { goal: 'x', plan } },
      { signal: abort.signal },
    );
    while (busySlots() === 0) await delay(20);
    abort.abort();
    await expect(call).rejects.toThrow('aborted');
    const cancelledAt = performance.now();
    while (busySlots() > 0) await delay(20);
    expect(performance.now() - cancelledAt).toBeLessThan(1000);
  });
});
