// The types of @glovebox/core/json-rpc, written by `npx -y pnpm run api`; not to be edited.
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
interface JsonRpcHttpOptions extends JsonRpcOptions, HttpOptions {}
interface JsonRpcOptions extends ServiceOptions {
  readonly maxBatch?: number | undefined;
}
interface JsonRpcStdioOptions extends JsonRpcOptions, StreamOptions {}
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
export declare function serveJsonRpcHttp(options: JsonRpcHttpOptions): Promise<HttpServerHandle>;
export declare function serveJsonRpcStdio(options: JsonRpcStdioOptions): ServerHandle;
export type {
  HttpOptions,
  HttpServerHandle,
  JsonRpcHttpOptions,
  JsonRpcOptions,
  JsonRpcStdioOptions,
  ServerHandle,
  ServiceOptions,
};
