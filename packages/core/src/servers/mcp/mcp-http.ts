import type { IncomingMessage, ServerResponse } from 'node:http';

import { toNodeHandler } from '@modelcontextprotocol/node';
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { z } from 'zod';

import { checkOptions } from '../../shared/check-options.ts';
import { Service } from '../service/service.ts';
import { readBody } from '../transport/http-body.ts';
import type { HttpRefusal } from '../transport/http-guard.ts';
import { httpShape } from '../transport/http-options.ts';
import type { HttpOptions } from '../transport/http-options.ts';
import { refuse, startHttpServer } from '../transport/http-server.ts';
import type { HttpServerHandle } from '../transport/http-server.ts';
import { JSON_RPC_CODES } from '../transport/json-rpc-codes.ts';
import { isTooDeep } from './depth.ts';
import { mcpShape } from './mcp-options.ts';
import type { McpOptions } from './mcp-options.ts';
import { McpServers } from './mcp-server.ts';
import { McpSessions } from './mcp-sessions.ts';

export interface McpHttpOptions extends McpOptions, HttpOptions {}

const optionsSchema = z.strictObject({ ...mcpShape, ...httpShape });

/**
 * Serves MCP over Streamable HTTP at `/mcp`: the tools `execute` and `run`, and the tools of the
 * registry. A request is aborted when its client closes the connection.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS`, `DUPLICATE_TOOL`.
 * @throws Error if the server cannot listen on the host and port.
 */
export async function serveMcpHttp(options: McpHttpOptions): Promise<HttpServerHandle> {
  const settings = checkOptions(optionsSchema, options, 'serveMcpHttp');
  const { maxMessageBytes, maxConnections, onError } = settings;
  const service = new Service(settings);
  const { create } = new McpServers(service, settings);
  const sessions = new McpSessions(() => create({ era: 'legacy' }), maxConnections);
  // Without `onError`: the SDK would also call it for errors of clients.
  const handler = createMcpHandler(create);
  const handle = toNodeHandler(handler, { onerror: onError });

  const route = (request: IncomingMessage, response: ServerResponse, body?: unknown) =>
    sessions.isForSession(request, body)
      ? sessions.handle(request, response, body)
      : // The types differ only in which properties may be explicitly undefined.
        handle(request as NodeIncomingMessageLike, response, body);
  return startHttpServer(settings, {
    path: '/mcp',
    onError,
    async handle(request, response) {
      if (request.method !== 'POST') return route(request, response);
      const body = await readJson(request, maxMessageBytes);
      if (body === undefined) response.destroy();
      else if ('refusal' in body) refuse(response, body.refusal);
      else await route(request, response, body.value);
    },
    close: async () => {
      await service.close();
      sessions.close();
      await handler.close();
    },
  });
}

/** Reads and parses the body; undefined if the client disconnected. */
async function readJson(
  request: IncomingMessage,
  maxBytes: number,
): Promise<{ readonly value: unknown } | { readonly refusal: HttpRefusal } | undefined> {
  const text = await readBody(request, maxBytes);
  if (text === undefined) return undefined;
  if (typeof text !== 'string') return { refusal: text };
  try {
    const value: unknown = JSON.parse(text);
    if (!isTooDeep(value)) return { value };
    return { refusal: { status: 400, message: 'The body is nested too deeply.' } };
  } catch {
    return {
      refusal: { status: 400, code: JSON_RPC_CODES.PARSE_ERROR, message: 'The body is not JSON.' },
    };
  }
}
