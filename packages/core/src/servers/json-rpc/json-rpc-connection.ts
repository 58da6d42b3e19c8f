import { JSON_RPC_CODES, JsonRpcFailure } from '../transport/json-rpc-codes.ts';
import { errorMessage, invalidRequest, readMessage, resultMessage } from './json-rpc-messages.ts';
import type {
  ErrorObject,
  RequestId,
  RequestMessage,
  ResponseMessage,
} from './json-rpc-messages.ts';

/** What a method is told of its request. */
export interface MethodContext {
  /** Aborted when the request is cancelled, or its client is gone. */
  readonly signal: AbortSignal;
  /** Undefined for a notification. */
  readonly id: RequestId | undefined;
  /** Tells the client something before the answer; nothing is sent after it. */
  notify(method: string, params: object): void;
  /** Aborts another request of this connection; false where none of that id is under way. */
  cancel(id: RequestId): boolean;
}

/** Answers a request with a value that JSON has; throws `JsonRpcFailure` for an error of its own. */
export type Method = (params: unknown, context: MethodContext) => unknown;

export interface ConnectionOptions {
  readonly methods: ReadonlyMap<string, Method>;
  /** Messages in one batch at most. */
  readonly maxBatch: number;
  /** Hears of what a method threw that is no `JsonRpcFailure`: a fault of the server. */
  readonly onError: (error: unknown) => void;
}

/** Sends a message that is JSON already. */
type Send = (text: string) => void;

/**
 * One client's side of JSON-RPC 2.0, whatever carries its texts: reads them, calls methods, and
 * makes the answers. Every request gets exactly one answer, a notification none.
 */
export class JsonRpcConnection {
  readonly #options: ConnectionOptions;
  readonly #requests = new Map<RequestId, AbortController>();
  readonly #gone = new AbortController();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /**
   * Takes one text: a message, or a batch of them. Never rejects.
   *
   * @param send Takes notifications that come before the answer.
   * @returns The answer as text; undefined where there is nothing to answer.
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
      const response = await this.#take(value, send);
      return response === undefined ? undefined : JSON.stringify(response);
    }
    const { maxBatch } = this.#options;
    if (value.length === 0) return JSON.stringify(invalidRequest('empty batch'));
    if (value.length > maxBatch) {
      return JSON.stringify(invalidRequest(`A batch has at most ${maxBatch} messages.`));
    }
    const responses = await Promise.all(value.map((message) => this.#take(message, send)));
    const answers = responses.filter((response) => response !== undefined);
    return answers.length === 0 ? undefined : JSON.stringify(answers);
  }

  /** The client is gone: aborts all that is under way for it. */
  abort(reason: Error): void {
    this.#gone.abort(reason);
  }

  async #take(value: unknown, send: Send): Promise<ResponseMessage | undefined> {
    const message = readMessage(value);
    if ('error' in message) return message;
    const { id } = message;
    if (id === undefined) {
      await this.#call(message, this.#gone.signal, send).catch((thrown) => this.#errorOf(thrown));
      return undefined;
    }
    if (this.#requests.has(id)) return invalidRequest('A request of this id is under way.', id);
    const controller = new AbortController();
    this.#requests.set(id, controller);
    try {
      const signal = AbortSignal.any([controller.signal, this.#gone.signal]);
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
    let isOver = false;
    try {
      return await method(params, {
        signal,
        id,
        notify: (notification, content) => {
          if (isOver) return;
          send(JSON.stringify({ jsonrpc: '2.0', method: notification, params: content }));
        },
        cancel: (other) => this.#cancel(other),
      });
    } finally {
      isOver = true;
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
