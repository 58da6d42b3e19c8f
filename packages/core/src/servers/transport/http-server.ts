import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { GloveboxError } from '../../shared/errors.ts';
import { createGuard, isLoopback, urlHost } from './http-guard.ts';
import type { HttpRefusal } from './http-guard.ts';
import type { HttpSettings } from './http-options.ts';
import { JSON_RPC_CODES } from './json-rpc-codes.ts';
import type { ServerHandle } from './server-handle.ts';

/** Interval of the check for slow requests, in milliseconds. */
const CHECK_MS = 1000;

/** A running HTTP server. */
export interface HttpServerHandle extends ServerHandle {
  /** URL of the server for clients. */
  readonly url: string;
}

export interface HttpService {
  readonly path: string;
  /** Answers a request that has passed the guard. If it throws, the response has status 500. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Ends all calls; their responses are written before it resolves. */
  close(): Promise<void>;
  onError(error: unknown): void;
}

/**
 * Starts a server that accepts only requests with an allowed host, origin, token and path.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS` if the host is not a loopback address and there is no
 * token.
 * @throws Error if the server cannot listen on the host and port.
 */
export async function startHttpServer(
  settings: HttpSettings,
  service: HttpService,
): Promise<HttpServerHandle> {
  const { host, port, token, requestMs, maxConnections } = settings;
  if (token === undefined && !isLoopback(host)) {
    const message = `A token is required to listen on ${host}: other machines can reach it.`;
    throw new GloveboxError('INVALID_OPTIONS', message, { path: 'token' });
  }
  const guard = createGuard(settings);
  const server = createServer(
    {
      requestTimeout: requestMs,
      headersTimeout: requestMs,
      connectionsCheckingInterval: Math.min(CHECK_MS, requestMs),
    },
    (request, response) => {
      // A client that disconnects during the response is not an error of the server.
      response.on('error', () => undefined);
      const refusal = guard(request) ?? checkPath(request, service.path);
      if (refusal !== undefined) refuse(response, refusal);
      else void service.handle(request, response).catch((error) => fail(response, error, service));
    },
  );
  server.maxConnections = maxConnections;
  server.listen(port, host);
  await once(server, 'listening');
  // For a server that listens on a host and port, `address()` returns neither a path nor null.
  const { port: chosen } = server.address() as AddressInfo;
  return new RunningServer(server, `http://${urlHost(host)}:${chosen}${service.path}`, service);
}

class RunningServer implements HttpServerHandle {
  readonly url: string;
  readonly closed: Promise<void>;
  readonly #server: Server;
  readonly #service: HttpService;
  #closing: Promise<void> | undefined;

  constructor(server: Server, url: string, service: HttpService) {
    this.#server = server;
    this.#service = service;
    this.url = url;
    this.closed = once(server, 'close').then(() => undefined);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#server.close();
    this.#server.closeIdleConnections();
    await this.#service.close();
    this.#server.closeIdleConnections();
    // Responses may still be in transit. Connections of clients that do not read them are closed.
    const timer = setTimeout(() => this.#server.closeAllConnections(), CHECK_MS);
    await this.closed;
    clearTimeout(timer);
  }
}

function checkPath({ url = '' }: IncomingMessage, path: string): HttpRefusal | undefined {
  const [requested] = url.split('?', 1);
  return requested === path ? undefined : { status: 404, message: `This server is at ${path}.` };
}

function fail(response: ServerResponse, error: unknown, service: HttpService): void {
  service.onError(error);
  if (response.headersSent) response.destroy();
  else refuse(response, { status: 500, message: 'The server failed.' });
}

/** Refuses a request with a JSON-RPC error, without reading the rest of the request. */
export function refuse(response: ServerResponse, refusal: HttpRefusal): void {
  const { status, message, code = JSON_RPC_CODES.INVALID_REQUEST, headers } = refusal;
  const error = { code, message };
  response.writeHead(status, {
    'content-type': 'application/json',
    connection: 'close',
    ...headers,
  });
  response.end(`${JSON.stringify({ jsonrpc: '2.0', id: null, error })}\n`);
}
