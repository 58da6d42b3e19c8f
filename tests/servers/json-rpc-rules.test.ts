import { Executor, ToolRegistry } from '@glovebox/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { connect, TRANSPORTS } from '../support/json-rpc.ts';
import type { Client } from '../support/json-rpc.ts';

const executor = new Executor({ pool: 'thread', hosts: 1 });
afterAll(() => executor.close());

const registry = new ToolRegistry();
let notified = 0;
registry.register({ name: 'double', execute: ({ n }: { n: number }) => n * 2 });
registry.register({ name: 'count', execute: () => ++notified });

const request = (message: object): string => JSON.stringify({ jsonrpc: '2.0', ...message });
const double = (id: unknown, n: number): object => ({
  jsonrpc: '2.0',
  id,
  method: 'dispatch',
  params: { tool: 'double', args: { n } },
});
const failure = (id: unknown, code: number, message?: unknown): object => ({
  jsonrpc: '2.0',
  id,
  error: expect.objectContaining({ code, ...(message === undefined ? {} : { message }) }),
});
const value = (id: unknown, n: number): object => ({
  jsonrpc: '2.0',
  id,
  result: expect.objectContaining({ value: n }),
});

interface Case {
  readonly what: string;
  readonly sent: string | Buffer;
  readonly answer: unknown;
}

const cases: readonly Case[] = [
  { what: 'a request', sent: request(double(1, 21)), answer: value(1, 42) },
  { what: 'an id that is a string', sent: request(double('a', 2)), answer: value('a', 4) },
  { what: 'an id that is null', sent: request(double(null, 2)), answer: value(null, 4) },
  { what: 'an id that is a fraction', sent: request(double(1.5, 2)), answer: value(1.5, 4) },
  { what: 'unknown members', sent: request({ ...double(1, 2), extra: 1 }), answer: value(1, 4) },
  { what: 'no JSON', sent: '{"id":', answer: failure(null, -32700) },
  { what: 'no UTF-8', sent: Buffer.from([0x22, 0xff, 0x22]), answer: undefined },
  { what: 'a number', sent: '42', answer: failure(null, -32600) },
  { what: 'null', sent: 'null', answer: failure(null, -32600) },
  {
    what: 'another version',
    sent: '{"jsonrpc":"1.0","id":1,"method":"tools.list"}',
    answer: failure(1, -32600),
  },
  { what: 'no version', sent: '{"id":1,"method":"tools.list"}', answer: failure(1, -32600) },
  { what: 'no method', sent: request({ id: 1 }), answer: failure(1, -32600) },
  { what: 'no method, and no id', sent: request({}), answer: failure(null, -32600) },
  {
    what: 'a method that is no string',
    sent: request({ id: 1, method: 7 }),
    answer: failure(1, -32600),
  },
  ...[true, false, {}, [1], 2 ** 53].map((id) => ({
    what: `the id ${JSON.stringify(id)}`,
    sent: request({ id, method: 'tools.list' }),
    answer: failure(null, -32600),
  })),
  ...['text', 7, null].map((params) => ({
    what: `the params ${JSON.stringify(params)}`,
    sent: request({ id: 1, method: 'tools.list', params }),
    answer: failure(1, -32600),
  })),
  {
    what: 'an unknown method',
    sent: request({ id: 1, method: 'nothing' }),
    answer: failure(1, -32601, 'There is no method "nothing".'),
  },
  ...['__proto__', 'constructor', 'toString', 'then'].map((method) => ({
    what: `the method ${method}`,
    sent: request({ id: 1, method }),
    answer: failure(1, -32601),
  })),
  {
    what: 'params by place',
    sent: request({ id: 1, method: 'execute', params: ['return 1'] }),
    answer: failure(1, -32602),
  },
  {
    what: 'missing params',
    sent: request({ id: 1, method: 'execute' }),
    answer: failure(1, -32602),
  },
  {
    what: 'unknown params',
    sent: request({ id: 1, method: 'execute', params: { code: '', memory: 1 } }),
    answer: failure(1, -32602, expect.stringContaining('memory')),
  },
  {
    what: 'a key __proto__ among the params',
    sent: '{"jsonrpc":"2.0","id":1,"method":"execute","params":{"code":"","__proto__":{"limits":{}}}}',
    answer: failure(1, -32602),
  },
  {
    what: 'a notification',
    sent: request({ method: 'dispatch', params: { tool: 'count' } }),
    answer: undefined,
  },
  { what: 'a notification of no method', sent: request({ method: 'nothing' }), answer: undefined },
  {
    what: 'a notification that fails',
    sent: request({ method: 'execute', params: {} }),
    answer: undefined,
  },
  {
    what: 'a batch',
    sent: JSON.stringify([
      double(1, 1),
      { jsonrpc: '2.0', method: 'dispatch', params: { tool: 'count' } },
      double(3, 3),
    ]),
    answer: [value(1, 2), value(3, 6)],
  },
  {
    what: 'a batch with faults',
    sent: JSON.stringify([1, double(2, 2), { foo: 'boo' }]),
    answer: [failure(null, -32600), value(2, 4), failure(null, -32600)],
  },
  {
    what: 'a batch of notifications',
    sent: JSON.stringify([{ jsonrpc: '2.0', method: 'nothing' }]),
    answer: undefined,
  },
  { what: 'an empty batch', sent: '[]', answer: failure(null, -32600, 'empty batch') },
  { what: 'a batch within a batch', sent: '[[]]', answer: [failure(null, -32600)] },
  {
    what: 'a batch with one id twice',
    sent: JSON.stringify([
      { jsonrpc: '2.0', id: 1, method: 'execute', params: { code: 'return 1' } },
      double(1, 1),
      double('1', 1),
    ]),
    answer: [
      { jsonrpc: '2.0', id: 1, result: expect.objectContaining({ value: 1 }) },
      failure(1, -32600, 'A request with this id is still running.'),
      value('1', 2),
    ],
  },
  {
    what: 'a batch that is too long',
    sent: JSON.stringify(Array.from({ length: 101 }, (_, id) => double(id, id))),
    answer: failure(null, -32600, 'A batch has at most 100 messages.'),
  },
  {
    what: 'a batch that cancels its own',
    sent: JSON.stringify([
      { jsonrpc: '2.0', id: 1, method: 'execute', params: { code: 'for (;;);' } },
      { jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 1 } },
      { jsonrpc: '2.0', id: 2, method: 'cancel', params: { id: 1 } },
      { jsonrpc: '2.0', id: 3, method: 'cancel', params: { id: 7 } },
    ]),
    answer: [
      {
        jsonrpc: '2.0',
        id: 1,
        result: expect.objectContaining({
          ok: false,
          error: expect.objectContaining({ code: 'ABORTED' }),
        }),
      },
      { jsonrpc: '2.0', id: 2, result: { cancelled: true } },
      { jsonrpc: '2.0', id: 3, result: { cancelled: false } },
    ],
  },
  {
    what: 'a message that is too large',
    sent: request({ id: 1, method: 'execute', params: { code: ' '.repeat(70_000) } }),
    answer: failure(null, -32600, expect.stringMatching(/at most 65536 bytes/)),
  },
];

describe.each(TRANSPORTS)('JSON-RPC over %s answers', (transport) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(transport, { executor, registry, maxMessageBytes: 65_536 });
  });
  afterAll(() => client[Symbol.asyncDispose]());

  test.each(cases)('$what', async ({ what, sent, answer }) => {
    const expected =
      what === 'no UTF-8' ? failure(null, transport === 'HTTP' ? -32600 : -32700) : answer;
    expect(await client.exchange(sent)).toEqual(expected);
    // Whatever was sent, the next one is served.
    expect(await client.exchange(request(double('next', 5)))).toEqual(value('next', 10));
  });

  test('notifications are carried out', async () => {
    const before = notified;
    await client.exchange(request({ method: 'dispatch', params: { tool: 'count' } }));
    await expect.poll(() => notified).toBe(before + 1);
  });
});
