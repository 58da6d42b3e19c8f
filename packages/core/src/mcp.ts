export type { HttpOptions } from './servers/transport/http-options.ts';
export type { HttpServerHandle } from './servers/transport/http-server.ts';
export type { ServerHandle } from './servers/transport/server-handle.ts';
export { serveMcpHttp } from './servers/mcp/mcp-http.ts';
export type { McpHttpOptions } from './servers/mcp/mcp-http.ts';
export type { McpOptions } from './servers/mcp/mcp-options.ts';
export { serveMcpStdio } from './servers/mcp/mcp-stdio.ts';
export type { McpStdioOptions } from './servers/mcp/mcp-stdio.ts';
export type { ServiceOptions } from './servers/service/service-options.ts';
export { mcpTools } from './adapters/mcp/mcp-client-tools.ts';
export type {
  McpClient,
  McpTool,
  McpTools,
  McpToolsOptions,
} from './adapters/mcp/mcp-client-tools.ts';
