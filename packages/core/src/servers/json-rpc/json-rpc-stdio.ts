import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

import { z } from 'zod';

import { checkOptions } from '../../shared/check-options.ts';
import { Service } from '../service/service.ts';
import { JSON_RPC_CODES } from '../transport/json-rpc-codes.ts';
import { NOT_TEXT, readLines, TOO_LONG } from '../transport/lines.ts';
import type { ServerHandle } from '../transport/server-handle.ts';
import { streamShape } from '../transport/stream-options.ts';
import type { StreamOptions } from '../transport/stream-options.ts';
import { JsonRpcConnection } from './json-rpc-connection.ts';
import { errorMessage, invalidRequest } from './json-rpc-messages.ts';
import { jsonRpcShape } from './json-rpc-options.ts';
import type { JsonRpcOptions } from './json-rpc-options.ts';
import { createMethods } from './methods.ts';

export interface JsonRpcStdioOptions extends JsonRpcOptions, StreamOptions {}

const optionsSchema = z.strictObject({ ...jsonRpcShape, ...streamShape });

/**
 * Serves JSON-RPC 2.0 over a pair of streams, one message a line. When the input ends, what is
 * under way may end within the grace time, so that a pipe gets its answers; when the output is
 * closed, all is aborted at once.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS`.
 */
export function serveJsonRpcStdio(options: JsonRpcStdioOptions): ServerHandle {
  return new StdioServer(checkOptions(optionsSchema, options, 'serveJsonRpcStdio'));
}

class StdioServer implements ServerHandle {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #maxMessageBytes: number;
  readonly #service: Service;
  readonly #connection: JsonRpcConnection;
  readonly #answers = new Set<Promise<void>>();
  /** Aborted when nothing more is read. */
  readonly #stopped = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  #closing: Promise<void> | undefined;

  constructor(settings: z.output<typeof optionsSchema>) {
    const { input = process.stdin, output = process.stdout, maxBatch, onError } = settings;
    this.#input = input;
    this.#output = output;
    this.#maxMessageBytes = settings.maxMessageBytes;
    this.#service = new Service(settings);
    const methods = createMethods(this.#service);
    this.#connection = new JsonRpcConnection({ methods, maxBatch, onError });
    output.on('error', this.#onOutputGone);
    output.on('close', this.#onOutputGone);
    // Input that breaks off is input that ends.
    void this.#serve()
      .catch(() => undefined)
      .then(() => this.close());
  }

  get closed(): Promise<void> {
    return this.#ended.promise;
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#service.close();
    await Promise.all(this.#answers);
    this.#stop();
    this.#output.off('close', this.#onOutputGone);
    this.#ended.resolve();
  }

  #stop(): void {
    this.#stopped.abort();
    this.#input.destroy();
  }

  readonly #onOutputGone = (): void => {
    this.#connection.abort(new Error('The client went away.'));
    this.#stop();
  };

  async #serve(): Promise<void> {
    const { signal } = this.#stopped;
    for await (const line of readLines(this.#input, this.#maxMessageBytes)) {
      if (line === TOO_LONG) {
        const message = `A message has at most ${this.#maxMessageBytes} bytes.`;
        this.#write(JSON.stringify(invalidRequest(message)));
      } else if (line === NOT_TEXT) {
        const error = { code: JSON_RPC_CODES.PARSE_ERROR, message: 'The line is not UTF-8.' };
        this.#write(JSON.stringify(errorMessage(null, error)));
      } else {
        const answer = this.#answer(line).finally(() => this.#answers.delete(answer));
        this.#answers.add(answer);
      }
      // Who does not read answers may not send further messages.
      if (this.#output.writableNeedDrain) await once(this.#output, 'drain', { signal });
    }
  }

  async #answer(line: string): Promise<void> {
    const response = await this.#connection.receive(line, this.#write);
    if (response !== undefined) this.#write(response);
  }

  readonly #write = (text: string): void => {
    if (this.#output.writable) this.#output.write(`${text}\n`);
  };
}
