export type { HttpOptions } from './servers/http/options.ts';
export type { HttpServerHandle } from './servers/http/server.ts';
export type { ServerHandle } from './servers/handle.ts';
export { serveMcpHttp } from './servers/mcp/http.ts';
export type { McpHttpOptions } from './servers/mcp/http.ts';
export type { McpOptions } from './servers/mcp/options.ts';
export { serveMcpStdio } from './servers/mcp/stdio.ts';
export type { McpStdioOptions } from './servers/mcp/stdio.ts';
export type { ServiceOptions } from './servers/service-options.ts';
export { mcpTools } from './servers/mcp/tools-of-client.ts';
export type {
  McpClient,
  McpTool,
  McpTools,
  McpToolsOptions,
} from './servers/mcp/tools-of-client.ts';
