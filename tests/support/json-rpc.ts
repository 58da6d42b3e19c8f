import { request as httpRequest } from 'node:http';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';

import { serveJsonRpcHttp, serveJsonRpcStdio } from '@glovebox/core/json-rpc';
import type { JsonRpcOptions } from '@glovebox/core/json-rpc';

/** A message of JSON-RPC, as a client reads it. */
export interface Message {
  readonly jsonrpc: string;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Record<string, unknown>;
  };
}

/** A client of a server, over whatever carries its texts. */
export interface Client extends AsyncDisposable {
  /** Sends one text, and gives what is answered to it; undefined where nothing is. */
  exchange(text: string | Buffer): Promise<unknown>;
}

export type Transport = 'stdio' | 'HTTP';
export const TRANSPORTS: readonly Transport[] = ['stdio', 'HTTP'];

export function connect(transport: Transport, options: JsonRpcOptions): Promise<Client> {
  return transport === 'stdio' ? connectStdio(options) : connectHttp(options);
}

/** Whether a text is answered cannot be seen on a stream: a second one is sent, and answered. */
async function connectStdio(options: JsonRpcOptions): Promise<Client> {
  const { input, lines, server } = openStdio(options);
  let count = 0;
  return {
    async exchange(content) {
      const marker = `marker ${++count}`;
      input.write(content);
      input.write(`\n${JSON.stringify({ jsonrpc: '2.0', id: marker, method: 'tools.list' })}\n`);
      let answer: unknown;
      let isMarked = false;
      // A call may be answered after the marker; what is not answered at all, never is.
      while (!isMarked || (answer === undefined && isCall(content))) {
        const message = await lines.next();
        if ((message as Message).id === marker) isMarked = true;
        else answer = message;
      }
      return answer;
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function isCall(content: string | Buffer): boolean {
  return /"id"/.test(content.toString());
}

/** A server on streams of this process. */
export function openStdio(options: JsonRpcOptions): {
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly lines: { next(): Promise<unknown> };
  readonly server: ReturnType<typeof serveJsonRpcStdio>;
} {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const server = serveJsonRpcStdio({ ...options, input, output });
  const iterator = createInterface({ input: output })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const line = await iterator.next();
    if (line.done === true) throw new Error('The server closed its output.');
    return JSON.parse(line.value);
  };
  return { input, output, lines: { next }, server };
}

async function connectHttp(options: JsonRpcOptions): Promise<Client> {
  const server = await serveJsonRpcHttp(options);
  return {
    async exchange(content) {
      const { status, body } = await post(server.url, content);
      if (body === '') {
        if (status !== 204) throw new Error(`Nothing came, with status ${status}.`);
        return undefined;
      }
      return JSON.parse(body);
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** One request with a header of choice, Host and Origin too, which `fetch` would not let one set. */
export async function post(
  url: string,
  content: string | Buffer,
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<Answer> {
  const request = httpRequest(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    agent: false,
  });
  // The server may refuse, and close, before all is sent.
  const failed = Promise.withResolvers<never>();
  const answered = new Promise<Answer>((resolve, reject) => {
    request.on('response', (response) => {
      const { statusCode: status = 0, headers: got } = response;
      text(response).then((body) => resolve({ status, body, headers: got }), reject);
    });
    request.on('error', failed.reject);
  });
  request.end(content);
  return Promise.race([answered, failed.promise]);
}
