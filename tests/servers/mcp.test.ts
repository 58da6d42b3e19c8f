import { Executor } from '@glovebox/core';
import { serveMcpHttp } from '@glovebox/core/mcp';
import type { Client, ElicitResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import registry from '../fixtures/mcp-tools.ts';
import { connectMcp, httpTransport, serveProcess, textOf } from '../support/mcp.ts';
import type { ClientSetup } from '../support/mcp.ts';

const executor = new Executor({ hosts: 2 });
let server: Awaited<ReturnType<typeof serveMcpHttp>>;
beforeAll(async () => {
  server = await serveMcpHttp({ executor, registry });
});
afterAll(async () => {
  await server.close();
  await executor.close();
});

const carriers = [
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
  ['HTTP', 'legacy'],
  ['HTTP', 'modern'],
] as const;

describe.each(carriers)('MCP over %s, %s protocol', (carrier, era) => {
  const connect = (setup: ClientSetup = {}): Promise<Client> =>
    connectMcp(carrier === 'stdio' ? serveProcess() : httpTransport(server.url), { era, ...setup });
  let client: Client;
  beforeAll(async () => {
    client = await connect();
  });
  afterAll(() => client.close());

  const call = (name: string, args: Record<string, unknown>) =>
    client.callTool({ name, arguments: args });
  const execute = (code: string, variables?: object) =>
    call('execute', { code, ...(variables === undefined ? {} : { variables }) });

  test('lists execute and the registered tools, with what they take and give', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'execute',
      'run',
      'orders.total',
      'pay',
      'slow',
      'score',
      'fail',
    ]);
    const [run, , total, , , score] = tools;
    expect(run?.description).toContain('total(args: { id: number; since?: Date })');
    expect(run?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(total).toMatchObject({
      description: 'The total of an order.',
      inputSchema: {
        type: 'object',
        properties: { since: { description: expect.stringContaining('a JavaScript Date') } },
      },
      outputSchema: { properties: { total: { type: 'number' } } },
      annotations: { idempotentHint: true },
    });
    expect(score?.inputSchema).toMatchObject({ properties: { args: { type: 'array' } } });
    expect(score?.annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false });
  });

  test('runs code that calls tools side by side', async () => {
    const result = await execute(
      'console.log("asked"); return Promise.all(ids.map((id) => orders.total({ id })))',
      { ids: [1, 2] },
    );
    expect(result.isError).toBeFalsy();
    const at = { __type__: 'datetime', data: '1970-01-01T00:00:00.000+00:00' };
    expect(result.structuredContent).toMatchObject({
      ok: true,
      value: [
        { total: 10, at },
        { total: 20, at },
      ],
      logs: [{ level: 'info', text: 'asked' }],
      usage: { toolCalls: 2 },
    });
    expect(textOf(result)).toContain('at: 1970-01-01T00:00:00.000Z');
  });

  test('tells what failed in code, and where', async () => {
    const result = await execute('const a = 1;\nthrow new RangeError("too far");');
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('RangeError: too far\nat line 2, column 7:');
    expect(result.structuredContent).toMatchObject({
      ok: false,
      error: { code: 'GUEST_ERROR', name: 'RangeError', line: 2 },
    });
  });

  test('calls a registered tool', async () => {
    const since = { __type__: 'datetime', data: '2026-01-31T12:00:00.000+00:00' };
    const result = await call('orders.total', { id: 7, since });
    expect(result.structuredContent).toEqual({ total: 70, at: since });
    const sum = await call('score', { args: [1, 2, 3] });
    expect(textOf(sum)).toBe('6');
  });

  test.each([
    ['arguments that do not fit', 'pay', { amount: 'much' }, /^schema: .*\/amount/],
    ['a tool that fails', 'fail', {}, /^internal: RangeError: too much \(code E_RANGE\)$/],
    ['tags that are malformed', 'pay', { __type__: 'nonsense' }, /^UNKNOWN_TAG: /],
    ['code that is no text', 'execute', { code: 7 }, /^INVALID_OPTIONS: .*code/],
    ['a variable of a bad name', 'execute', { code: '', variables: { let: 1 } }, /^INVALID_NAME: /],
    [
      'a call that nobody can approve',
      'pay',
      { amount: 11 },
      /^denied: pay needs approval|^denied: pay was denied/,
    ],
  ])('tells of %s', async (_what, name, args, message) => {
    const result = await call(name, args);
    expect(textOf(result)).toMatch(message);
    expect(result.isError).toBe(true);
  });

  test('tells of progress', async () => {
    const heard: (string | undefined)[] = [];
    const progress: number[] = [];
    await client.callTool(
      {
        name: 'execute',
        arguments: {
          // What comes right before the answer may get lost in the client.
          code: 'console.log("one"); await pay({ amount: 1 }); console.log("two"); await new Promise((done) => setTimeout(done, 50))',
        },
      },
      {
        onprogress: (event) => {
          heard.push(event.message);
          progress.push(event.progress);
        },
      },
    );
    expect(heard).toEqual(['one', 'pay: ok', 'two']);
    expect(progress).toEqual([1, 2, 3]);
  });

  test('stops what its client does not want any more', async () => {
    const controller = new AbortController();
    const endless = client.callTool(
      { name: 'execute', arguments: { code: 'console.log("on"); for (;;);' } },
      { signal: controller.signal, onprogress: () => controller.abort(new Error('enough')) },
    );
    await expect(endless).rejects.toThrow('enough');
    // The server over stdio has one host: this one would have to wait for it.
    const next = await execute('return 1');
    expect(next.structuredContent).toMatchObject({ ok: true, value: 1 });
    // That of the server over HTTP, which runs in this process.
    await expect.poll(() => executor.stats().busySlots, { timeout: 3000 }).toBe(0);
  });

  describe('asks for approval', () => {
    let asked: string[] = [];
    let answer: (message: string) => ElicitResult;
    let asking: Client;
    beforeAll(async () => {
      asking = await connect({
        answer: (message) => {
          asked.push(message);
          return answer(message);
        },
      });
    });
    afterAll(() => asking.close());

    test('and goes on with a yes, in branches too', async () => {
      asked = [];
      answer = (message) =>
        message.includes('666')
          ? { action: 'accept', content: { approve: false, reason: 'too dear' } }
          : { action: 'accept', content: { approve: true } };
      const result = await asking.callTool({
        name: 'execute',
        arguments: {
          code: `
            const amounts = [1, 20, 666];
            const all = await Promise.allSettled(amounts.map((amount) => pay({ amount })));
            const last = await pay({ amount: 30 });
            return [...all.map(({ value, reason }) => value ?? reason.message), last];`,
        },
      });
      expect(result.structuredContent).toMatchObject({
        value: ['paid 1', 'paid 20', 'pay was denied: too dear', 'paid 30'],
      });
      expect(asked).toHaveLength(3);
      expect(asked[0]).toBe('pay needs approval.\nPays an amount.\nArguments: { amount: 20 }');
    });

    test.each<[string, ElicitResult, RegExp]>([
      ['declines', { action: 'decline' }, /the user chose to decline/],
      ['cancels', { action: 'cancel' }, /the user chose to cancel/],
      // The old protocols' server looks at the answer itself.
      [
        'sends something else',
        { action: 'accept', content: { approve: 'yes' } },
        /does not match (the )?requested schema/,
      ],
      ['sends nothing', { action: 'accept' }, /does not match the requested schema/],
    ])('and takes it for a no where the client %s', async (_what, given, reason) => {
      answer = () => given;
      const result = await asking.callTool({ name: 'pay', arguments: { amount: 20 } });
      expect(textOf(result)).toMatch(reason);
      expect(result.isError).toBe(true);
    });
  });
});
