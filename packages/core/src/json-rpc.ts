export type { HttpOptions } from './servers/http/options.ts';
export type { HttpServerHandle } from './servers/http/server.ts';
export type { ServerHandle } from './servers/handle.ts';
export { serveJsonRpcHttp } from './servers/json-rpc/http.ts';
export type { JsonRpcHttpOptions } from './servers/json-rpc/http.ts';
export type { JsonRpcOptions } from './servers/json-rpc/options.ts';
export { serveJsonRpcStdio } from './servers/json-rpc/stdio.ts';
export type { JsonRpcStdioOptions } from './servers/json-rpc/stdio.ts';
export type { ServiceOptions } from './servers/service-options.ts';
