import { PassThrough } from 'node:stream';

import { Executor, ToolRegistry } from '@glovebox/core';
import { serveJsonRpcStdio } from '@glovebox/core/json-rpc';
import { serveMcpStdio } from '@glovebox/core/mcp';
import { afterAll, describe, expect, test } from 'vitest';

import { openStdio } from '../support/json-rpc.ts';

const executor = new Executor({ hosts: 2 });
afterAll(() => executor.close());

const busy = (): number => executor.stats().busySlots;
const request = (id: unknown, code: string, extra: object = {}): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'execute', params: { code, ...extra } })}\n`;
const cancel = (id: unknown): string =>
  `${JSON.stringify({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } })}\n`;
const ENDLESS = 'for (;;);';

describe('JSON-RPC over streams', () => {
  test('reads messages in whatever pieces they come', async () => {
    const { input, lines, server } = openStdio({ executor });
    const bytes = Buffer.from(
      `\n  \r\n${request(1, 'return "ä€😀"')}\r\n${request(2, 'return 2')}`,
    );
    for (const byte of bytes) input.write(Buffer.from([byte]));
    const answers = [await lines.next(), await lines.next()];
    expect(answers).toHaveLength(2);
    expect(answers).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 1, result: expect.objectContaining({ value: 'ä€😀' }) }),
        expect.objectContaining({ id: 2, result: expect.objectContaining({ value: 2 }) }),
      ]),
    );
    await server.close();
  });

  test('answers as calls end, not as they came', async () => {
    const { input, lines, server } = openStdio({ executor });
    input.write(request('slow', 'await new Promise((done) => setTimeout(done, 300))'));
    input.write(request('quick', 'return 1'));
    expect(await lines.next()).toMatchObject({ id: 'quick' });
    expect(await lines.next()).toMatchObject({ id: 'slow' });
    await server.close();
  });

  test('holds no more of a line than a message may have', async () => {
    const { input, lines, server } = openStdio({ executor, maxMessageBytes: 1024 });
    const chunk = Buffer.alloc(65_536, ' ');
    for (let count = 0; count < 100; count++) input.write(chunk);
    input.write(`\n${request(1, 'return 1')}`);
    expect(await lines.next()).toMatchObject({ id: null, error: { code: -32600 } });
    expect(await lines.next()).toMatchObject({ id: 1, result: { value: 1 } });
    await server.close();
  });

  test('reads on only when its answers are read', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const server = serveJsonRpcStdio({ executor, input, output });
    const garbage = Buffer.from('nonsense\n'.repeat(1000));
    let isTaken = true;
    // Each line is answered with ten times as much.
    for (let count = 0; count < 1000 && isTaken; count++) {
      isTaken = input.write(garbage);
      await new Promise((done) => {
        setImmediate(done);
      });
    }
    expect(isTaken).toBe(false);
    expect(output.readableLength + output.writableLength).toBeLessThan(1_000_000);
    output.resume();
    input.end();
    await server.closed;
  });

  test('cancels by notification, and tells nothing of what is not there', async () => {
    const { input, lines, server } = openStdio({ executor });
    input.write(request(1, ENDLESS));
    await expect.poll(busy).toBe(1);
    input.write(cancel(7) + cancel('1') + cancel(null) + cancel({}) + cancel(1) + cancel(1));
    expect(await lines.next()).toMatchObject({
      id: 1,
      result: { ok: false, error: { code: 'ABORTED' } },
    });
    // Its id is free again.
    input.write(request(1, 'return 2'));
    expect(await lines.next()).toMatchObject({ id: 1, result: { value: 2 } });
    await server.close();
  });

  test('answers what came before the input ended, and ends', async () => {
    const { input, lines, server } = openStdio({ executor });
    input.end(request(1, 'await new Promise((done) => setTimeout(done, 100)); return 1'));
    expect(await lines.next()).toMatchObject({ id: 1, result: { value: 1 } });
    await server.closed;
  });

  test('stops what still runs some time after the input ended, and says so', async () => {
    const { input, lines, server } = openStdio({ executor, graceMs: 100 });
    input.end(request(1, ENDLESS));
    expect(await lines.next()).toMatchObject({ id: 1, result: { error: { code: 'ABORTED' } } });
    await server.closed;
    expect(busy()).toBe(0);
  });

  test('stops all at once when nobody reads its output any more', async () => {
    const { input, output, server } = openStdio({ executor, graceMs: 60_000 });
    input.write(request(1, ENDLESS) + request(2, ENDLESS));
    await expect.poll(busy).toBe(2);
    output.destroy();
    await server.closed;
    expect(busy()).toBe(0);
  });

  test('takes no calls while it closes', async () => {
    const { input, lines, server } = openStdio({ executor, graceMs: 5000 });
    input.write(request(1, 'await new Promise((done) => setTimeout(done, 300)); return 1'));
    await expect.poll(busy).toBe(1);
    const closed = server.close();
    input.write(request(2, 'return 2'));
    expect(await lines.next()).toMatchObject({ id: 2, error: { code: -32001 } });
    expect(await lines.next()).toMatchObject({ id: 1, result: { value: 1 } });
    await closed;
  });

  test('an executor that is closed is told of', async () => {
    const closed = new Executor({ pool: 'thread', hosts: 1 });
    await closed.close();
    const { input, lines, server } = openStdio({ executor: closed });
    input.write(request(1, 'return 1'));
    expect(await lines.next()).toMatchObject({
      error: { code: -32001, data: { code: 'EXECUTOR_CLOSED' } },
    });
    await server.close();
  });

  test('a fault of the server is heard of, and names its exception alone', async () => {
    const heard: unknown[] = [];
    const registry = new ToolRegistry();
    const list = registry.list.bind(registry);
    registry.list = () => {
      throw new TypeError('a secret');
    };
    const { input, lines, server } = openStdio({
      executor,
      registry,
      onError: (error) => heard.push(error),
    });
    input.write('{"jsonrpc":"2.0","id":1,"method":"tools.list"}\n');
    expect(await lines.next()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32603, message: 'The server failed.', data: { exception: 'TypeError' } },
    });
    expect(heard).toEqual([new TypeError('a secret')]);
    registry.list = list;
    await server.close();
  });
});

const call = (id: unknown, code: string): string =>
  `${JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'execute', arguments: { code } },
  })}\n`;

describe('MCP over streams', () => {
  const initialize = `${JSON.stringify({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    },
  })}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n`;

  test.each<[string, (streams: { input: PassThrough; output: PassThrough }) => void]>([
    ['the input ends', ({ input }) => input.end()],
    ['the input breaks off', ({ input }) => input.destroy()],
    ['nobody reads the output', ({ output }) => output.destroy()],
    ['a message is too large', ({ input }) => input.write(' '.repeat(100_000))],
  ])('stops all and ends when %s', async (_what, goAway) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const server = serveMcpStdio({ executor, input, output, maxMessageBytes: 65_536 });
    output.resume();
    input.write(initialize + call(1, ENDLESS));
    await expect.poll(busy).toBe(1);
    goAway({ input, output });
    await server.closed;
    await expect.poll(busy).toBe(0);
  });

  test('lets calls end when it is closed', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const server = serveMcpStdio({ executor, input, output });
    let text = '';
    output.on('data', (chunk: Buffer) => (text += chunk.toString()));
    input.write(
      initialize + call(1, 'await new Promise((done) => setTimeout(done, 200)); return 42'),
    );
    await expect.poll(busy).toBe(1);
    await server.close();
    expect(text).toContain('"value":42');
  });
});
