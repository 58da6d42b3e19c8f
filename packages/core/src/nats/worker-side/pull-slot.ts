import { createInbox } from '@nats-io/nats-core';
import type { Msg, NatsConnection, Subscription } from '@nats-io/nats-core';

import { Delivery } from './delivery.ts';

/** How long one pull request is valid; a worker that drains waits no longer than this for it. */
export const PULL_MS = 2000;
/**
 * Time-out of a pull request. The server responds when a request expires, but not if the stream or
 * the consumer does not exist. So a time-out means that they may have to be created again.
 */
const PULL_TIMEOUT_MS = 3000;
const REQUEST_TIMEOUT = 408;
const NOT_FOUND = 404;

/** A request for one job. One of its three callbacks is called, once. */
export interface PullRequest {
  readonly send: (inbox: string) => void;
  readonly onJob: (delivery: Delivery) => void;
  /** No job arrived in time. */
  readonly onNoJob: () => void;
  readonly onError: (error: unknown) => void;
}

/** Pulls one job at a time, on a subscription of its own. */
export class PullSlot {
  readonly #nats: NatsConnection;
  readonly #inbox: string;
  readonly #subscription: Subscription;
  readonly #closed = Promise.withResolvers<void>();
  #request: PullRequest | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(nats: NatsConnection, inboxPrefix: string) {
    this.#nats = nats;
    this.#inbox = createInbox(inboxPrefix);
    this.#subscription = nats.subscribe(this.#inbox, {
      callback: (error, message) => {
        if (error === null) this.#onMessage(message);
        else this.#takeRequest()?.onError(error);
      },
    });
  }

  /** Resolves when the slot is closed: it pulls no more jobs. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  pull(request: PullRequest): void {
    this.#request = request;
    this.#timer = setTimeout(() => {
      const error = new Error('The server did not respond to a request for a job.');
      this.#takeRequest()?.onError(error);
    }, PULL_TIMEOUT_MS);
    try {
      request.send(this.#inbox);
    } catch (error) {
      this.#takeRequest()?.onError(error);
    }
  }

  retryAfter(ms: number, retry: () => void): void {
    this.#timer = setTimeout(retry, ms);
  }

  /** Ends the pending request with `onNoJob`. */
  cancel(): void {
    this.#takeRequest()?.onNoJob();
  }

  close(): void {
    this.#takeRequest();
    clearTimeout(this.#timer);
    if (!this.#nats.isClosed()) this.#subscription.unsubscribe();
    this.#closed.resolve();
  }

  /** Returns the pending request, if there is one, and marks it as no longer pending. */
  #takeRequest(): PullRequest | undefined {
    const request = this.#request;
    this.#request = undefined;
    if (request !== undefined) clearTimeout(this.#timer);
    return request;
  }

  #onMessage(message: Msg): void {
    const request = this.#takeRequest();
    // A status message of the server has no reply subject.
    if (message.reply === undefined || message.reply === '') {
      const { code, description } = message.headers ?? {};
      if (code === REQUEST_TIMEOUT || code === NOT_FOUND) request?.onNoJob();
      else
        request?.onError(
          new Error(`The server rejected a request for a job: ${code} ${description}`),
        );
      return;
    }
    try {
      const delivery = new Delivery(this.#nats, message);
      if (request !== undefined) request.onJob(delivery);
      // The request has timed out or was cancelled: the job goes to another worker at once.
      else delivery.nak();
    } catch (error) {
      request?.onError(error);
    }
  }
}
