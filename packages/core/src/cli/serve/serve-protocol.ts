import type { Writable } from 'node:stream';

import { serveJsonRpcHttp } from '../../servers/json-rpc/json-rpc-http.ts';
import { serveJsonRpcStdio } from '../../servers/json-rpc/json-rpc-stdio.ts';
import type { ServiceOptions } from '../../servers/service/service-options.ts';
import type { HttpOptions } from '../../servers/transport/http-options.ts';
import type { ServerHandle } from '../../servers/transport/server-handle.ts';

export type Transport = 'stdio' | 'http';

export interface Protocol {
  readonly name: 'mcp' | 'json-rpc';
  readonly transport: Transport;
}

/**
 * Starts a server for a protocol.
 *
 * @param version Version that an MCP server reports about itself.
 */
export async function listen(
  { name, transport }: Protocol,
  service: ServiceOptions,
  http: HttpOptions,
  output: Writable | undefined,
  version: string | undefined,
): Promise<ServerHandle> {
  if (name === 'json-rpc') {
    return transport === 'http'
      ? serveJsonRpcHttp({ ...service, ...http })
      : serveJsonRpcStdio({ ...service, output });
  }
  if (transport === 'http') {
    const { serveMcpHttp } = await loadMcp(() => import('../../servers/mcp/mcp-http.ts'));
    return serveMcpHttp({ ...service, ...http, version });
  }
  const { serveMcpStdio } = await loadMcp(() => import('../../servers/mcp/mcp-stdio.ts'));
  return serveMcpStdio({ ...service, output, version });
}

/** The official SDK is an optional peer dependency: the user installs it. */
async function loadMcp<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const isMissing = (cause as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing) throw cause;
    const packages = '@modelcontextprotocol/server @modelcontextprotocol/node';
    throw new Error(`MCP needs its SDK: npm install ${packages}`, { cause });
  }
}
