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
 * Serves JSON-RPC 2.0 over a pair of streams, one message per line. When the input ends, running
 * calls may finish within the grace time, so that a pipe gets its responses. When the output is
 * closed, all calls are aborted at once.
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
  /** Aborted when the server stops reading. */
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
    output.on('error', this.#onOutputClosed);
    output.on('close', this.#onOutputClosed);
    // An input that fails counts as an input that ends.
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
    this.#output.off('close', this.#onOutputClosed);
    this.#ended.resolve();
  }

  #stop(): void {
    this.#stopped.abort();
    this.#input.destroy();
  }

  readonly #onOutputClosed = (): void => {
    this.#connection.abort(new Error('The client disconnected.'));
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
      // Back-pressure: a client that does not read responses must not send more messages.
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
