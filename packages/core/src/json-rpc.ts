export type { HttpOptions } from './servers/transport/http-options.ts';
export type { HttpServerHandle } from './servers/transport/http-server.ts';
export type { ServerHandle } from './servers/transport/server-handle.ts';
export { serveJsonRpcHttp } from './servers/json-rpc/json-rpc-http.ts';
export type { JsonRpcHttpOptions } from './servers/json-rpc/json-rpc-http.ts';
export type { JsonRpcOptions } from './servers/json-rpc/json-rpc-options.ts';
export { serveJsonRpcStdio } from './servers/json-rpc/json-rpc-stdio.ts';
export type { JsonRpcStdioOptions } from './servers/json-rpc/json-rpc-stdio.ts';
export type { ServiceOptions } from './servers/service/service-options.ts';
