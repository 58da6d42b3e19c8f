import { connect as connectSocket } from 'node:net';

import { Executor } from '@glovebox/core';
import { serveMcpHttp } from '@glovebox/core/mcp';
import { isInputRequiredResult } from '@modelcontextprotocol/client';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import registry from '../fixtures/mcp-tools.ts';
import { post } from '../support/json-rpc.ts';
import { connectMcp, httpTransport, textOf } from '../support/mcp.ts';
import { until } from '../support/processes.ts';

const executor = new Executor({ hosts: 2 });
let server: Awaited<ReturnType<typeof serveMcpHttp>>;
beforeAll(async () => {
  server = await serveMcpHttp({ executor, registry, graceMs: 0 });
});
afterAll(async () => {
  await server.close();
  await executor.close();
});

const busy = (): number => executor.stats().busySlots;

describe('a call that takes several requests', () => {
  let client: Client;
  beforeAll(async () => {
    client = await connectMcp(httpTransport(server.url), {
      answer: () => ({ action: 'cancel' }),
    });
  });
  afterAll(() => client.close());

  const manual = { allowInputRequired: true };
  const yes = { action: 'accept', content: { approve: true } };
  const params = {
    name: 'execute',
    arguments: { code: 'return Promise.all([pay({ amount: 11 }), pay({ amount: 12 })])' },
  };

  /** Begins the call: two questions, and the state that goes with them. */
  async function begin(): Promise<{ keys: string[]; requestState: string }> {
    const result: unknown = await client.callTool(params, manual);
    if (!isInputRequiredResult(result)) throw new Error('Nothing is asked.');
    const { inputRequests = {}, requestState = '' } = result;
    return { keys: Object.keys(inputRequests), requestState };
  }

  const goOn = (more: object, tool: object = params): Promise<unknown> =>
    client.callTool({ ...params, ...tool, ...more }, manual);

  test('goes on where it was', async () => {
    const { keys, requestState } = await begin();
    expect(keys).toHaveLength(2);
    const inputResponses = Object.fromEntries(keys.map((key) => [key, yes]));
    expect(await goOn({ requestState, inputResponses })).toMatchObject({
      structuredContent: { ok: true, value: ['paid 11', 'paid 12'] },
    });
  });

  test('asks again for what was left out', async () => {
    const { keys, requestState } = await begin();
    const [first = '', second = ''] = keys;
    const next: unknown = await goOn({
      requestState,
      inputResponses: { [first]: yes, other: yes, [second]: { role: 'user', content: [] } },
    });
    if (!isInputRequiredResult(next)) throw new Error('Nothing is asked.');
    expect(Object.keys(next.inputRequests ?? {})).toEqual([second]);
    const last = { requestState: next.requestState, inputResponses: { [second]: yes } };
    expect(await goOn(last)).toMatchObject({
      structuredContent: { value: ['paid 11', 'paid 12'] },
    });
  });

  test.each([
    ['is unknown', () => 'nonsense'],
    ['is a name of objects', () => '__proto__'],
  ])('is not gone on with by a state that %s', async (_what, state) => {
    await expect(goOn({ requestState: state(), inputResponses: {} })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test('is gone on with once for each state, and by its own tool', async () => {
    const { keys, requestState } = await begin();
    const inputResponses = Object.fromEntries(keys.map((key) => [key, yes]));
    const other = { name: 'pay', arguments: { amount: 1 } };
    expect(await goOn({ requestState, inputResponses }, other)).toMatchObject({
      isError: true,
      content: [{ text: 'This requestState belongs to a call of another tool.' }],
    });
    expect(await goOn({ requestState, inputResponses })).toMatchObject({
      structuredContent: { ok: true },
    });
    await expect(goOn({ requestState, inputResponses })).rejects.toMatchObject({ code: -32602 });
  });

  test('without a way to ask is denied, not begun', async () => {
    const mute = await connectMcp(httpTransport(server.url));
    const result = await mute.callTool({ name: 'pay', arguments: { amount: 11 } });
    expect(textOf(result)).toMatch(/^denied: pay needs approval, and nobody can be asked/);
    await mute.close();
  });

  test('ends when the server is closed while a person is asked', async () => {
    const own = await serveMcpHttp({ executor, registry, graceMs: 0 });
    const asking = await connectMcp(httpTransport(own.url), {
      answer: () => ({ action: 'cancel' }),
    });
    const asked: unknown = await asking.callTool(params, manual);
    expect(isInputRequiredResult(asked)).toBe(true);
    expect(busy()).toBe(1);
    await own.close();
    await expect.poll(busy).toBe(0);
    await asking.close();
  });
});

const message = (id: number, method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

describe('a session', () => {
  const accept = { accept: 'application/json, text/event-stream' };
  const endless = message(1, 'tools/call', {
    name: 'execute',
    arguments: { code: 'for (;;);' },
  });

  async function open(): Promise<Record<string, string>> {
    const initialize = message(0, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    });
    const { headers } = await post(server.url, initialize, accept);
    return { ...accept, 'mcp-session-id': String(headers['mcp-session-id']) };
  }
  // Nothing of one test runs on in the next.
  afterEach(() => until(() => busy() === 0, 5000));

  test.each(['nonsense', '__proto__', ''])('of the id %j is not there', async (id) => {
    const { status } = await post(server.url, endless, { ...accept, 'mcp-session-id': id });
    expect(status).toBe(404);
  });

  test('that its client ends stops what it runs', async () => {
    const headers = await open();
    const call = post(server.url, endless, headers).catch(() => undefined);
    await expect.poll(busy).toBe(1);
    expect((await post(server.url, '', headers, 'DELETE')).status).toBe(200);
    await expect.poll(busy).toBe(0);
    await call;
    expect((await post(server.url, endless, headers)).status).toBe(404);
  });

  test('stops a call whose client goes away', async () => {
    const headers = await open();
    const { port, hostname } = new URL(server.url);
    const socket = connectSocket(Number(port), hostname);
    const head = Object.entries({
      host: 'localhost',
      'content-type': 'application/json',
      'content-length': String(endless.length),
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /mcp HTTP/1.1\r\n${head.join('')}\r\n${endless}`);
    await expect.poll(busy).toBe(1);
    socket.destroy();
    await expect.poll(busy).toBe(0);
  });
});
