import { createGuestTools, Dispatcher, Executor, ToolRegistry } from '@glovebox/core';
import { mcpTools } from '@glovebox/core/mcp';
import type { Client } from '@modelcontextprotocol/client';
import { fromJsonSchema, InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

import { errorIn, valueIn } from '../support/dispatch.ts';
import { connectMcp } from '../support/mcp.ts';

const text = (content: string) => ({ content: [{ type: 'text' as const, text: content }] });

/** Another server, with tools as other people name them. */
function otherServer(heard: unknown[]): McpServer {
  const server = new McpServer({ name: 'other', version: '1.0.0' });
  server.registerTool(
    'getIssue',
    {
      description: 'One issue.',
      inputSchema: z.object({ id: z.number() }),
      outputSchema: z.object({ title: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ id }) => ({ ...text('shown'), structuredContent: { title: `Issue ${id}` } }),
  );
  server.registerTool('get-issue', {}, () => text('the other one'));
  server.registerTool('delete', { annotations: { destructiveHint: true } }, () => text('gone'));
  server.registerTool('2fa', {}, () => text('code'));
  server.registerTool('fail', {}, () => ({ ...text('no such issue'), isError: true }));
  server.registerTool('picture', {}, () => ({
    content: [{ type: 'image', data: 'AAEC', mimeType: 'image/png' }],
  }));
  server.registerTool(
    'odd',
    {
      description: 'Takes odd things.',
      inputSchema: fromJsonSchema({
        type: 'object',
        properties: { n: { type: 'integer', format: 'uint7' } },
      }),
    },
    (args) => text(JSON.stringify(args)),
  );
  server.registerTool('wait', {}, async ({ mcpReq: { signal } }) => {
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
    heard.push('aborted');
    return text('late');
  });
  return server;
}

describe('tools of another MCP server', () => {
  const heard: unknown[] = [];
  const executor = new Executor({ pool: 'thread', hosts: 1 });
  let client: Client;
  beforeAll(async () => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await otherServer(heard).connect(theirs);
    client = await connectMcp(ours, { era: 'legacy' });
  });
  afterAll(async () => {
    await client.close();
    await executor.close();
  });

  async function dispatcherOf(options?: Parameters<typeof mcpTools>[1]): Promise<Dispatcher> {
    const registry = new ToolRegistry();
    for (const tool of (await mcpTools(client, options)).tools) registry.register(tool);
    return new Dispatcher({ registry, executor });
  }

  test('have names that a registry takes, and it is told which', async () => {
    const { names } = await mcpTools(client);
    expect(Object.fromEntries(names)).toEqual({
      get_issue: 'getIssue',
      get_issue_2: 'get-issue',
      tool_delete: 'delete',
      tool_2fa: '2fa',
      fail: 'fail',
      picture: 'picture',
      odd: 'odd',
      wait: 'wait',
    });
    const prefixed = await mcpTools(client, { prefix: 'other' });
    expect([...prefixed.names.keys()].slice(0, 4)).toEqual([
      'other.get_issue',
      'other.get_issue_2',
      'other.delete',
      'other.tool_2fa',
    ]);
  });

  test('are called by guests, with the types of their schemas', async () => {
    const dispatcher = await dispatcherOf({ prefix: 'other' });
    expect(dispatcher.registry.get('other.get_issue')).toMatchObject({
      description: 'One issue.',
      definition: { idempotent: true },
      inputJsonSchema: { properties: { id: { type: 'number' } } },
    });
    const outcome = await executor.run({
      code: 'return Promise.all([other.get_issue({ id: 7 }), other.get_issue_2({})])',
      tools: createGuestTools(dispatcher, dispatcher.registry.names),
    });
    expect(outcome).toMatchObject({ ok: true, value: [{ title: 'Issue 7' }, 'the other one'] });
  });

  test('give content that is no text as it is', async () => {
    const dispatcher = await dispatcherOf();
    expect(valueIn(await dispatcher.dispatch({ tool: 'picture', args: {} }))).toEqual([
      { type: 'image', data: 'AAEC', mimeType: 'image/png' },
    ]);
  });

  test('fail with what their server says', async () => {
    const dispatcher = await dispatcherOf();
    expect(errorIn(await dispatcher.dispatch({ tool: 'fail', args: {} }))).toMatchObject({
      kind: 'internal',
      name: 'McpToolError',
      message: 'no such issue',
    });
  });

  test('have their arguments checked before they are sent', async () => {
    const dispatcher = await dispatcherOf();
    const bad = await dispatcher.dispatch({ tool: 'get_issue', args: { id: '7' } });
    expect(errorIn(bad)).toMatchObject({ kind: 'schema', faults: [{ path: '/id' }] });
  });

  test('refuse what would change on its way', async () => {
    const dispatcher = await dispatcherOf();
    const bad = await dispatcher.dispatch({ tool: 'odd', args: { since: new Date(0) } });
    expect(errorIn(bad)).toMatchObject({
      name: 'TypeError',
      message: expect.stringContaining('JSON cannot represent'),
    });
  });

  test('with a schema that a registry cannot read are checked by their server, which is told', async () => {
    const { tools, unchecked } = await mcpTools(client);
    expect([...unchecked.keys()]).toEqual(['odd']);
    expect(unchecked.get('odd')).toContain('uint7');
    const odd = tools.find(({ name }) => name === 'odd');
    expect(odd).toMatchObject({
      description: expect.stringMatching(/^Takes odd things\.\nArguments, as JSON Schema: .*uint7/),
      inputSchema: { type: 'object' },
    });
    const dispatcher = await dispatcherOf();
    expect(valueIn(await dispatcher.dispatch({ tool: 'odd', args: { n: 1 } }))).toBe('{"n":1}');
  });

  test('need approval where that is asked for', async () => {
    const dispatcher = await dispatcherOf({
      needsApproval: ({ annotations }) => annotations?.destructiveHint === true,
    });
    const denied = await dispatcher.dispatch({ tool: 'tool_delete', args: {} });
    expect(errorIn(denied).kind).toBe('denied');
    expect(valueIn(await dispatcher.dispatch({ tool: 'tool_2fa', args: {} }))).toBe('code');
  });

  test('hear when their call is not wanted any more', async () => {
    const dispatcher = await dispatcherOf();
    const late = await dispatcher.dispatch({ tool: 'wait', args: {}, timeoutMs: 50 });
    expect(errorIn(late).kind).toBe('timeout');
    await expect.poll(() => heard).toEqual(['aborted']);
  });
});
