import type { IncomingMessage, ServerResponse } from 'node:http';

import { z } from 'zod';

import { checkOptions } from '../../shared/check-options.ts';
import { Service } from '../service/service.ts';
import { readBody } from '../transport/http-body.ts';
import { httpShape } from '../transport/http-options.ts';
import type { HttpOptions } from '../transport/http-options.ts';
import { refuse, startHttpServer } from '../transport/http-server.ts';
import type { HttpServerHandle } from '../transport/http-server.ts';
import { JsonRpcConnection } from './json-rpc-connection.ts';
import { jsonRpcShape } from './json-rpc-options.ts';
import type { JsonRpcOptions } from './json-rpc-options.ts';
import { createMethods } from './methods.ts';

export interface JsonRpcHttpOptions extends JsonRpcOptions, HttpOptions {}

const optionsSchema = z.strictObject({ ...jsonRpcShape, ...httpShape });

/** Content type of a body with one message per line: notifications, then the response. */
const STREAM_TYPE = 'application/x-ndjson';

/**
 * Serves JSON-RPC 2.0 over HTTP. A message or a batch is the body of a POST to `/`. A client that
 * accepts `application/x-ndjson` gets notifications, one per line, before the response. A request
 * is aborted when its client closes the connection.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS`.
 * @throws Error if the server cannot listen on the host and port.
 */
export async function serveJsonRpcHttp(options: JsonRpcHttpOptions): Promise<HttpServerHandle> {
  const settings = checkOptions(optionsSchema, options, 'serveJsonRpcHttp');
  const { maxBatch, maxMessageBytes, onError } = settings;
  const service = new Service(settings);
  const methods = createMethods(service);
  return startHttpServer(settings, {
    path: '/',
    onError,
    close: () => service.close(),
    async handle(request, response) {
      const body = await readBody(request, maxMessageBytes);
      if (body === undefined) response.destroy();
      else if (typeof body !== 'string') refuse(response, body);
      else {
        const connection = new JsonRpcConnection({ methods, maxBatch, onError });
        response.once('close', () => connection.abort(new Error('The client disconnected.')));
        await answer(connection, body, request, response);
      }
    },
  });
}

async function answer(
  connection: JsonRpcConnection,
  body: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const isStream = request.headers.accept?.includes(STREAM_TYPE) === true;
  const write = (text: string): void => {
    // The first line sends the headers. A response without notifications is a stream of one line.
    if (!response.headersSent) response.writeHead(200, { 'content-type': STREAM_TYPE });
    response.write(`${text}\n`);
  };
  const text = await connection.receive(body, isStream ? write : () => undefined);
  if (text === undefined) {
    if (!response.headersSent) response.writeHead(204);
    response.end();
  } else if (isStream) {
    write(text);
    response.end();
  } else {
    response.writeHead(200, { 'content-type': 'application/json' }).end(`${text}\n`);
  }
}
