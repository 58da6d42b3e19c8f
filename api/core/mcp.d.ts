// The types of @glovebox/core/mcp, written by `npx -y pnpm run api`; not to be edited.
// Declarations that index.d.ts has as well are left out.
import {
  ChildProcess,
  SpawnOptions,
} from "node:child_process";
import {
  Readable,
  Writable,
} from "node:stream";
import {
  z,
} from "zod";
interface HttpOptions {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly token?: string | undefined;
  readonly allowedHosts?: readonly string[] | undefined;
  readonly requestMs?: number | undefined;
  readonly maxConnections?: number | undefined;
}
interface HttpServerHandle extends ServerHandle {
  readonly url: string;
}
interface McpClient {
  listTools(): Promise<{
    readonly tools: readonly McpTool[];
  }>;
  callTool(params: {
    name: string;
    arguments: Record<string, unknown>;
  }, options: {
    signal: AbortSignal;
    timeout: number;
  }): Promise<McpToolResult>;
}
interface McpHttpOptions extends McpOptions, HttpOptions {}
interface McpOptions extends ServiceOptions {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}
interface McpStdioOptions extends McpOptions, StreamOptions {}
interface McpTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations?: {
    readonly readOnlyHint?: boolean | undefined;
    readonly destructiveHint?: boolean | undefined;
    readonly idempotentHint?: boolean | undefined;
  } | undefined;
}
interface McpToolResult {
  readonly content: readonly object[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}
interface McpTools {
  readonly tools: readonly TrustedTool[];
  readonly names: ReadonlyMap<string, string>;
  readonly unchecked: ReadonlyMap<string, string>;
}
interface McpToolsOptions {
  readonly prefix?: string | undefined;
  readonly needsApproval?: boolean | ((tool: McpTool) => boolean) | undefined;
}
interface ServerHandle {
  readonly closed: Promise<void>;
  close(): Promise<void>;
}
interface ServiceOptions {
  readonly executor: Executor;
  readonly registry?: ToolRegistry | undefined;
  readonly dispatcher?: Dispatcher | undefined;
  readonly planner?: Planner | undefined;
  readonly limits?: LimitsInput | undefined;
  readonly maxCalls?: number | undefined;
  readonly maxMessageBytes?: number | undefined;
  readonly graceMs?: number | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}
interface StreamOptions {
  readonly input?: Readable | undefined;
  readonly output?: Writable | undefined;
}
export declare function mcpTools(client: McpClient, { prefix, needsApproval }?: McpToolsOptions): Promise<McpTools>;
export declare function serveMcpHttp(options: McpHttpOptions): Promise<HttpServerHandle>;
export declare function serveMcpStdio(options: McpStdioOptions): ServerHandle;
export type {
  HttpOptions,
  HttpServerHandle,
  McpClient,
  McpHttpOptions,
  McpOptions,
  McpStdioOptions,
  McpTool,
  McpTools,
  McpToolsOptions,
  ServerHandle,
  ServiceOptions,
};
