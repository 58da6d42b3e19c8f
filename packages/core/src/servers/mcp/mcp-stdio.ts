import type { Readable, Writable } from 'node:stream';

import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

import { checkOptions } from '../../shared/check-options.ts';
import { Service } from '../service/service.ts';
import type { ServerHandle } from '../transport/server-handle.ts';
import { streamShape } from '../transport/stream-options.ts';
import type { StreamOptions } from '../transport/stream-options.ts';
import { mcpShape } from './mcp-options.ts';
import type { McpOptions } from './mcp-options.ts';
import { McpServers } from './mcp-server.ts';

export interface McpStdioOptions extends McpOptions, StreamOptions {}

const optionsSchema = z.strictObject({ ...mcpShape, ...streamShape });

/**
 * Serves MCP over a pair of streams: the tools `execute` and `run`, and the tools of the registry.
 * When either stream ends, all calls are aborted.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS`, `DUPLICATE_TOOL`.
 */
export function serveMcpStdio(options: McpStdioOptions): ServerHandle {
  const settings = checkOptions(optionsSchema, options, 'serveMcpStdio');
  const { input = process.stdin, output = process.stdout, maxMessageBytes } = settings;
  const service = new Service(settings);
  const servers = new McpServers(service, settings);
  const ended = Promise.withResolvers<void>();
  const transport = new ClosableTransport(input, output, maxMessageBytes, () => {
    // The client cannot receive results any more: calls must end, and aborted calls end at once.
    void service.close().then(ended.resolve);
  });
  output.on('close', () => void transport.close());
  const server = serveStdio(servers.create, { transport });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await service.close();
    await server.close();
    input.destroy();
    await ended.promise;
  };
  return { closed: ended.promise, close: () => (closing ??= close()) };
}

/** Calls a function when it is closed, by the SDK or by this server. */
class ClosableTransport extends StdioServerTransport {
  readonly #onClosed: () => void;

  constructor(input: Readable, output: Writable, maxBufferSize: number, onClosed: () => void) {
    super(input, output, { maxBufferSize });
    this.#onClosed = onClosed;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#onClosed();
  }
}
