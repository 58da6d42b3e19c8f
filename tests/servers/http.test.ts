import { connect as connectSocket } from 'node:net';
import { text } from 'node:stream/consumers';

import { Executor } from '@glovebox/core';
import { serveJsonRpcHttp } from '@glovebox/core/json-rpc';
import type { HttpServerHandle, JsonRpcHttpOptions } from '@glovebox/core/json-rpc';
import { serveMcpHttp } from '@glovebox/core/mcp';
import { afterAll, afterEach, describe, expect, test } from 'vitest';

import { post } from '../support/json-rpc.ts';
import type { Answer } from '../support/json-rpc.ts';

const TOKEN = 'a token of some length';

const executor = new Executor({ hosts: 2 });
afterAll(() => executor.close());

interface Protocol {
  readonly name: string;
  readonly path: string;
  readonly serve: (
    options?: Omit<JsonRpcHttpOptions, 'executor' | 'maxBatch'>,
  ) => Promise<HttpServerHandle>;
  /** A request that runs code. */
  readonly execute: (code: string) => string;
  /** Its answer holds this value. */
  readonly value: (answer: Answer) => unknown;
}

const ACCEPT = { accept: 'application/json, text/event-stream' };

const protocols: readonly Protocol[] = [
  {
    name: 'JSON-RPC',
    path: '/',
    serve: (options) => serveJsonRpcHttp({ executor, ...options }),
    execute: (code) =>
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'execute', params: { code } }),
    value: ({ body }) => JSON.parse(body).result.value,
  },
  {
    name: 'MCP',
    path: '/mcp',
    serve: (options) => serveMcpHttp({ executor, ...options }),
    execute: (code) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'execute', arguments: { code } },
      }),
    // An event stream of one event.
    value: ({ body }) =>
      JSON.parse(/^data: (?<data>.*)$/m.exec(body)?.groups?.['data'] ?? '').result.structuredContent
        .value,
  },
];

describe.each(protocols)('$name over HTTP', ({ path, serve, execute, value }) => {
  let server: HttpServerHandle;
  const start = async (options?: Parameters<Protocol['serve']>[0]): Promise<string> => {
    server = await serve(options);
    return server.url;
  };
  afterEach(() => server.close());

  /** 42, where the server serves. */
  const served = async (url: string, headers = {}): Promise<unknown> =>
    value(await post(url, execute('return 6 * 7'), { ...ACCEPT, ...headers }));

  test('is found where it says', async () => {
    const url = await start();
    expect(url).toMatch(new RegExp(String.raw`^http://127\.0\.0\.1:\d+${path}$`));
    expect(await served(url)).toBe(42);
  });

  test.each<[string, number, Record<string, string>]>([
    ['another host name', 403, { host: 'evil.example' }],
    ['a host name that contains the right one', 403, { host: 'localhost.evil.example' }],
    ['no sound host name', 403, { host: ']' }],
    ['a page of another origin', 403, { origin: 'https://evil.example' }],
    ['a page without origin', 403, { origin: 'null' }],
    ['another content type', 415, { 'content-type': 'text/plain' }],
    ['a type that contains the right one', 415, { 'content-type': 'text/plain; application/json' }],
  ])('refuses %s', async (_what, status, headers) => {
    const url = await start();
    const answer = await post(url, execute('return 1'), { ...ACCEPT, ...headers });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { message: expect.any(String) },
    });
    expect(await served(url)).toBe(42);
  });

  test.each([
    ['localhost', { host: 'localhost:1' }],
    ['localhost in capitals', { host: 'LOCALHOST' }],
    ['IPv6', { host: '[::1]:80' }],
    ['a page of this machine', { origin: 'http://localhost:3000' }],
    ['a type with its charset', { 'content-type': 'application/json; charset=utf-8' }],
  ])('serves %s', async (_what, headers) => {
    expect(await served(await start(), headers)).toBe(42);
  });

  test('serves the host names that it is given, and no others', async () => {
    const url = await start({ allowedHosts: ['box.example'] });
    expect(await served(url, { host: 'box.example:8000', origin: 'https://box.example' })).toBe(42);
    expect((await post(url, execute('return 1'), ACCEPT)).status).toBe(403);
  });

  test.each([
    ['no token', {}],
    ['another token', { authorization: 'Bearer another one' }],
    ['a part of the token', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ['an empty token', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: `Basic ${TOKEN}` }],
  ])('refuses %s where one is needed', async (_what, headers) => {
    const token = TOKEN.replaceAll(' ', '-');
    const url = await start({ token });
    const { status, headers: got } = await post(url, execute('return 1'), {
      ...ACCEPT,
      ...headers,
    });
    expect([status, got['www-authenticate']]).toEqual([401, 'Bearer']);
    expect(await served(url, { authorization: `Bearer ${token}` })).toBe(42);
  });

  test.each([
    ['another path', '/elsewhere', 'POST', 404],
    ['another method', path, 'PUT', 405],
    ['GET', path, 'GET', 405],
  ])('refuses %s', async (_what, at, method, status) => {
    const url = await start();
    expect((await post(new URL(at, url).href, '', ACCEPT, method)).status).toBe(status);
    expect(await served(url)).toBe(42);
  });

  test.each([
    ['declared', {}],
    ['sent in pieces', { 'transfer-encoding': 'chunked' }],
  ])('refuses a body that is too large, %s', async (_what, headers) => {
    const url = await start({ maxMessageBytes: 2048 });
    // The connection may be closed before the answer is read.
    const answer = await post(url, execute(' '.repeat(3000)), { ...ACCEPT, ...headers }).catch(
      ({ code }: NodeJS.ErrnoException) => ({ status: code }),
    );
    expect([413, 'ECONNRESET', 'EPIPE']).toContain(answer.status);
    expect(await served(url)).toBe(42);
  });

  test('survives what is nested deeply', async () => {
    const url = await start();
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const calls = [
      ['execute', `{"code":"return 1","variables":{"a":${deep}}}`],
      ['dispatch', `{"tool":"none","args":${deep}}`],
      [
        'tools/call',
        `{"name":"execute","arguments":{"code":"return 1","variables":{"a":${deep}}}}`,
      ],
      ['tools/call', `{"name":"none","arguments":{"a":${deep}}}`],
    ];
    for (const [method, params] of calls) {
      await post(url, `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`, ACCEPT);
    }
    expect((await post(url, deep, ACCEPT)).body).toContain('"error"');
    expect(await served(url)).toBe(42);
  });

  test('tells that a body is no JSON', async () => {
    const url = await start();
    const { body } = await post(url, '{"jsonrpc":', ACCEPT);
    expect(JSON.parse(body)).toMatchObject({ id: null, error: { code: -32700 } });
    expect(await served(url)).toBe(42);
  });

  test.each([
    [
      'a request that is never finished',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"json',
    ],
    ['a head that is never finished', 'POST / HTTP/1.1\r\nHost: localhost\r\n'],
    ['what is not HTTP', '\u0000\u0001 nonsense\r\n\r\n'],
  ])('cuts off %s', async (_what, content) => {
    const url = await start({ requestMs: 300 });
    const socket = connectSocket(Number(new URL(url).port), '127.0.0.1');
    socket.write(content.replace('POST /', `POST ${path}`));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(await served(url)).toBe(42);
  });

  test('stops what a client runs that goes away', async () => {
    const url = await start();
    const code = 'for (;;);';
    const { hostname, port } = new URL(url);
    const body = execute(code);
    const socket = connectSocket(Number(port), hostname);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: ${ACCEPT.accept}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    await expect.poll(() => executor.stats().busySlots, { timeout: 5000 }).toBe(1);
    socket.destroy();
    await expect.poll(() => executor.stats().busySlots, { timeout: 5000 }).toBe(0);
  });

  test('serves a hundred clients at once', async () => {
    const url = await start();
    const clients = Array.from({ length: 100 }, (_, n) =>
      post(url, execute(`return ${n}`), ACCEPT),
    );
    const values = (await Promise.all(clients)).map(value);
    expect(values).toEqual(Array.from({ length: 100 }, (_, n) => n));
  });

  test('lets calls end when it is closed, and aborts them after a while', async () => {
    const url = await start({ graceMs: 500 });
    const short = post(
      url,
      execute('await new Promise((done) => setTimeout(done, 100)); return 1'),
      ACCEPT,
    );
    const endless = post(url, execute('for (;;);'), ACCEPT);
    await expect.poll(() => executor.stats().busySlots, { timeout: 5000 }).toBe(2);
    await server.close();
    expect(value(await short)).toBe(1);
    expect((await endless).body).toContain('ABORTED');
    await expect(post(url, execute('return 1'), ACCEPT)).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
    expect(executor.stats().busySlots).toBe(0);
  });
});
