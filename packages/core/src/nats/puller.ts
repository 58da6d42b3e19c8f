import { setTimeout as delay } from 'node:timers/promises';

import { createInbox, nanos } from '@nats-io/nats-core';
import type { Msg, NatsConnection, Subscription } from '@nats-io/nats-core';

import { Delivery } from './delivery.ts';
import type { Outbox } from './outbox.ts';

/** How long one request for a job stands; a worker that drains waits for no longer. */
const PULL_MS = 2000;
/**
 * The server says when a request has run out. It says nothing where the stream or the consumer is
 * not there: a request without an answer means that they must be looked for.
 */
const PULL_LOST_MS = 3000;
/** Between attempts to get at the stream again. */
const RETRY_MS = 500;
/** An acknowledgement waits for so long for a request to go with. */
const ACK_MS = 100;

const REQUEST = JSON.stringify({ batch: 1, expires: nanos(PULL_MS) });
const REQUEST_TIMEOUT = 408;
const NOT_FOUND = 404;

/** Where jobs wait, and for how long one is left with a worker that gives no sign. */
export interface JobSource {
  /** Where to ask for the next one. */
  readonly subject: string;
  readonly leaseMs: number;
}

export interface PullerOptions {
  readonly nats: NatsConnection;
  /** What the subjects begin with on which answers come. */
  readonly inboxPrefix: string;
  readonly outbox: Outbox;
  readonly slots: number;
  readonly open: () => Promise<JobSource>;
  /** Resolves when the slot of the job is free. */
  readonly carryOut: (delivery: Delivery, leaseMs: number) => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

/**
 * Takes jobs from one consumer: as many at a time as there are slots, each asked for when its slot
 * is free. Nothing is fetched ahead: a job that waits, waits where every worker can take it.
 *
 * The client's `consumer.next` would do the same, but subscribes, makes timers and iterators, and
 * unsubscribes for every job, and acknowledges in a message of its own.
 */
export class Puller {
  readonly #options: PullerOptions;
  readonly #slots: readonly PullSlot[];
  readonly #loops: readonly Promise<void>[];
  readonly #done: Delivery[] = [];
  #ackTimer: NodeJS.Timeout | undefined;
  #source: Promise<JobSource> | undefined;
  #isStopped = false;
  #isClosed = false;

  constructor(options: PullerOptions) {
    this.#options = options;
    const { nats, inboxPrefix, slots } = options;
    this.#slots = Array.from({ length: slots }, () => new PullSlot(nats, inboxPrefix));
    this.#loops = this.#slots.map((slot) => this.#pull(slot));
  }

  /** A job is done for good: the server is told when the next one is asked for, or soon. */
  done(delivery: Delivery): void {
    if (this.#isClosed) return;
    this.#done.push(delivery);
    this.#ackTimer ??= setTimeout(() => this.#acknowledge(), ACK_MS);
  }

  /** Asks anew: the server has forgotten who was connected before, and perhaps the stream. */
  renew(): void {
    this.#source = undefined;
    for (const slot of this.#slots) slot.cancel();
  }

  /** Takes no more. Resolves when the last job has left its slot. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#loops);
  }

  /** Takes no more, and waits for nothing. */
  close(): void {
    this.#isStopped = true;
    this.#isClosed = true;
    this.renew();
    this.#acknowledge();
  }

  #acknowledge(): void {
    clearTimeout(this.#ackTimer);
    this.#ackTimer = undefined;
    for (const delivery of this.#done.splice(0)) delivery.ack();
  }

  async #pull(slot: PullSlot): Promise<void> {
    const { nats, outbox, open, carryOut, onError } = this.#options;
    while (!this.#isStopped) {
      try {
        this.#source ??= open();
        const { subject, leaseMs } = await this.#source;
        const message = await slot.next((inbox, fail) =>
          outbox.add(() => {
            const done = this.#done.pop();
            if (done === undefined) nats.publish(subject, REQUEST, { reply: inbox });
            else done.ackAndPull(REQUEST, inbox);
          }, fail),
        );
        if (message === undefined) continue;
        const delivery = new Delivery(nats, message);
        // It came while the worker was told to stop: another one gets it at once.
        if (this.#isStopped) delivery.giveBack();
        else await carryOut(delivery, leaseMs);
      } catch (error) {
        if (this.#isStopped) break;
        // The stream may be gone with its server's memory: it is made again.
        this.#source = undefined;
        onError(error);
        await delay(RETRY_MS);
      }
    }
    slot.close();
  }
}

/** What asks for one job at a time, and gets its answers on a subscription of its own. */
class PullSlot {
  readonly #nats: NatsConnection;
  readonly #inbox: string;
  readonly #subscription: Subscription;
  #waiting: PromiseWithResolvers<Msg | undefined> | undefined;

  constructor(nats: NatsConnection, inboxPrefix: string) {
    this.#nats = nats;
    this.#inbox = createInbox(inboxPrefix);
    this.#subscription = nats.subscribe(this.#inbox, {
      callback: (error, message) => {
        if (error === null) this.#onMessage(message);
        else this.#waiting?.reject(error);
      },
    });
  }

  /**
   * The next job; undefined where none came in time.
   *
   * @param ask Asks for one job that is to come to this inbox.
   */
  async next(
    ask: (inbox: string, fail: (error: unknown) => void) => void,
  ): Promise<Msg | undefined> {
    const waiting = Promise.withResolvers<Msg | undefined>();
    this.#waiting = waiting;
    const timer = setTimeout(() => {
      waiting.reject(new Error('The server did not answer a request for a job.'));
    }, PULL_LOST_MS);
    try {
      ask(this.#inbox, waiting.reject);
      return await waiting.promise;
    } finally {
      clearTimeout(timer);
      this.#waiting = undefined;
    }
  }

  cancel(): void {
    this.#waiting?.resolve(undefined);
  }

  close(): void {
    this.#subscription.unsubscribe();
  }

  #onMessage(message: Msg): void {
    const waiting = this.#waiting;
    // Only the server's own words have no subject to answer to.
    const isJob = message.reply !== undefined && message.reply !== '';
    if (isJob && waiting === undefined) {
      // Of a request that was taken for lost: another worker gets it at once.
      new Delivery(this.#nats, message).giveBack();
    } else if (isJob) {
      this.#waiting = undefined;
      waiting?.resolve(message);
    } else if (message.headers?.code === REQUEST_TIMEOUT || message.headers?.code === NOT_FOUND) {
      waiting?.resolve(undefined);
    } else {
      const { code, description } = message.headers ?? {};
      waiting?.reject(new Error(`The server gives no job: ${code ?? ''} ${description ?? ''}`));
    }
  }
}
