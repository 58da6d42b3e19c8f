import { JSON_RPC_CODES, JsonRpcFailure } from '../transport/json-rpc-codes.ts';
import { errorMessage, invalidRequest, readMessage, resultMessage } from './json-rpc-messages.ts';
import type {
  ErrorObject,
  RequestId,
  RequestMessage,
  ResponseMessage,
} from './json-rpc-messages.ts';

/** What a method knows about its request. */
export interface MethodContext {
  /** Aborted when the request is cancelled or its client disconnects. */
  readonly signal: AbortSignal;
  /** Undefined for a notification. */
  readonly id: RequestId | undefined;
  /** Sends a notification to the client; has no effect after the response. */
  notify(method: string, params: object): void;
  /** Aborts another request of this connection; false if no request with this id is running. */
  cancel(id: RequestId): boolean;
}

/** Returns the result of a request as JSON; throws `JsonRpcFailure` for an error response. */
export type Method = (params: unknown, context: MethodContext) => unknown;

export interface ConnectionOptions {
  readonly methods: ReadonlyMap<string, Method>;
  /** Maximum number of messages in one batch. */
  readonly maxBatch: number;
  /** Called with an error of the server: a method threw something other than `JsonRpcFailure`. */
  readonly onError: (error: unknown) => void;
}

/** Sends a message that is already JSON text. */
type Send = (text: string) => void;

/**
 * The JSON-RPC 2.0 connection with one client, independent of the transport: parses messages, calls
 * methods and creates responses. Every request gets exactly one response, a notification gets none.
 */
export class JsonRpcConnection {
  readonly #options: ConnectionOptions;
  readonly #requests = new Map<RequestId, AbortController>();
  readonly #disconnected = new AbortController();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /**
   * Handles one text: a message or a batch of messages. Never rejects.
   *
   * @param send Called with notifications that precede the response.
   * @returns The response as text; undefined if there is none.
   */
  async receive(text: string, send: Send): Promise<string | undefined> {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      const error = { code: JSON_RPC_CODES.PARSE_ERROR, message: 'The text is not JSON.' };
      return JSON.stringify(errorMessage(null, error));
    }
    if (!Array.isArray(value)) {
      const response = await this.#handle(value, send);
      return response === undefined ? undefined : JSON.stringify(response);
    }
    const { maxBatch } = this.#options;
    if (value.length === 0) return JSON.stringify(invalidRequest('empty batch'));
    if (value.length > maxBatch) {
      return JSON.stringify(invalidRequest(`A batch has at most ${maxBatch} messages.`));
    }
    const responses = await Promise.all(value.map((message) => this.#handle(message, send)));
    const answers = responses.filter((response) => response !== undefined);
    return answers.length === 0 ? undefined : JSON.stringify(answers);
  }

  /** Aborts all running requests, because the client has disconnected. */
  abort(reason: Error): void {
    this.#disconnected.abort(reason);
  }

  async #handle(value: unknown, send: Send): Promise<ResponseMessage | undefined> {
    const message = readMessage(value);
    if ('error' in message) return message;
    const { id } = message;
    if (id === undefined) {
      await this.#call(message, this.#disconnected.signal, send).catch((thrown) =>
        this.#errorOf(thrown),
      );
      return undefined;
    }
    if (this.#requests.has(id))
      return invalidRequest('A request with this id is still running.', id);
    const controller = new AbortController();
    this.#requests.set(id, controller);
    try {
      const signal = AbortSignal.any([controller.signal, this.#disconnected.signal]);
      return resultMessage(id, await this.#call(message, signal, send));
    } catch (thrown) {
      return errorMessage(id, this.#errorOf(thrown));
    } finally {
      this.#requests.delete(id);
    }
  }

  async #call(
    { id, method: name, params }: RequestMessage,
    signal: AbortSignal,
    send: Send,
  ): Promise<unknown> {
    const method = this.#options.methods.get(name);
    if (method === undefined) {
      const message = `There is no method ${JSON.stringify(name.slice(0, 100))}.`;
      throw new JsonRpcFailure(JSON_RPC_CODES.METHOD_NOT_FOUND, message);
    }
    let hasEnded = false;
    try {
      return await method(params, {
        signal,
        id,
        notify: (notification, content) => {
          if (hasEnded) return;
          send(JSON.stringify({ jsonrpc: '2.0', method: notification, params: content }));
        },
        cancel: (other) => this.#cancel(other),
      });
    } finally {
      hasEnded = true;
    }
  }

  #cancel(id: RequestId): boolean {
    const request = this.#requests.get(id);
    request?.abort(new Error('The client cancelled the request.'));
    return request !== undefined;
  }

  #errorOf(thrown: unknown): ErrorObject {
    if (thrown instanceof JsonRpcFailure) {
      const { code, message, data } = thrown;
      return data === undefined ? { code, message } : { code, message, data };
    }
    this.#options.onError(thrown);
    const exception = thrown instanceof Error ? thrown.name : typeof thrown;
    const message = 'The server failed.';
    return { code: JSON_RPC_CODES.INTERNAL_ERROR, message, data: { exception } };
  }
}
