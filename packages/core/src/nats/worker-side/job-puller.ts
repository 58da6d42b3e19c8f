import { createInbox, nanos } from '@nats-io/nats-core';
import type { Msg, NatsConnection, Subscription } from '@nats-io/nats-core';

import { messageOf } from '../../shared/message-of.ts';
import { Delivery } from './delivery.ts';

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
  /** Whose jobs they are. */
  readonly consumer: string;
  readonly leaseMs: number;
}

export interface PullerOptions {
  readonly nats: NatsConnection;
  /** What the subjects begin with on which answers come. */
  readonly inboxPrefix: string;
  readonly slots: number;
  readonly open: () => Promise<JobSource>;
  /** Does a job; `free` is to be called when its slot is free. Must not throw. */
  readonly carryOut: (delivery: Delivery, leaseMs: number, free: () => void) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Takes jobs from one consumer: as many at a time as there are slots, each asked for when its slot
 * is free. Nothing is fetched ahead: a job that waits, waits where every worker can take it.
 *
 * The client's `consumer.next` would do the same, but subscribes, makes timers and iterators, and
 * unsubscribes for every job, and acknowledges in a message of its own. Without that, and with last
 * words confirmed together, a run costs the server 0.24 ms of its processor in place of 0.35, and
 * the worker 0.28 in place of 0.45. Nothing here waits for a promise, so that the end of a run and
 * the request for the next one, said in the same turn, are one write to the socket.
 */
export class Puller {
  readonly #options: PullerOptions;
  readonly #slots: readonly PullSlot[];
  readonly #done: Delivery[] = [];
  #ackTimer: NodeJS.Timeout | undefined;
  #source: JobSource | undefined;
  #opening: Promise<JobSource> | undefined;
  /** The trouble that was told last, until there is none. */
  #told: string | undefined;
  #isStopped = false;
  #isClosed = false;

  constructor(options: PullerOptions) {
    this.#options = options;
    const { nats, inboxPrefix, slots } = options;
    this.#slots = Array.from({ length: slots }, () => new PullSlot(nats, inboxPrefix));
    for (const slot of this.#slots) this.#next(slot);
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
    this.#told = undefined;
    for (const slot of this.#slots) slot.cancel();
  }

  /** Takes no more. Resolves when the last job has left its slot. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#slots.map(({ closed }) => closed));
  }

  /** Takes no more, and waits for nothing. */
  close(): void {
    this.#isStopped = true;
    this.#isClosed = true;
    this.#acknowledge();
    for (const slot of this.#slots) slot.close();
  }

  #acknowledge(): void {
    clearTimeout(this.#ackTimer);
    this.#ackTimer = undefined;
    for (const delivery of this.#done.splice(0)) delivery.ack();
  }

  #next(slot: PullSlot): void {
    const source = this.#source;
    if (this.#isStopped) slot.close();
    else if (source === undefined) void this.#open(slot);
    else this.#ask(slot, source);
  }

  async #open(slot: PullSlot): Promise<void> {
    try {
      this.#opening ??= this.#options.open();
      this.#source = await this.#opening;
    } catch (error) {
      this.#onError(slot, error);
      return;
    } finally {
      this.#opening = undefined;
    }
    this.#next(slot);
  }

  #ask(slot: PullSlot, { subject, consumer, leaseMs }: JobSource): void {
    const { nats, carryOut } = this.#options;
    slot.ask({
      send: (inbox) => {
        const done = this.#done.pop();
        if (done?.consumer === consumer) {
          done.ackAndPull(REQUEST, inbox);
          return;
        }
        // Of a stream that is gone: nobody would answer.
        done?.ack();
        nats.publish(subject, REQUEST, { reply: inbox });
      },
      onJob: (delivery) => {
        this.#told = undefined;
        if (!this.#isStopped) {
          carryOut(delivery, leaseMs, () => this.#next(slot));
          return;
        }
        // It came while the worker was told to stop: another one gets it at once.
        delivery.giveBack();
        slot.close();
      },
      onNothing: () => {
        this.#told = undefined;
        this.#next(slot);
      },
      onError: (error) => this.#onError(slot, error),
    });
  }

  #onError(slot: PullSlot, error: unknown): void {
    // The stream may be gone with its server's memory: it is made again.
    this.#source = undefined;
    // All slots have the same trouble, and have it again and again.
    const why = messageOf(error);
    if (!this.#isStopped && why !== this.#told) this.#options.onError(error);
    this.#told = why;
    slot.pause(RETRY_MS, () => this.#next(slot));
  }
}

/** A request for one job, and what may come of it: one of three. */
interface Question {
  readonly send: (inbox: string) => void;
  readonly onJob: (delivery: Delivery) => void;
  /** None came in time. */
  readonly onNothing: () => void;
  readonly onError: (error: unknown) => void;
}

/** What asks for one job at a time, and gets its answers on a subscription of its own. */
class PullSlot {
  readonly #nats: NatsConnection;
  readonly #inbox: string;
  readonly #subscription: Subscription;
  readonly #closed = Promise.withResolvers<void>();
  #question: Question | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(nats: NatsConnection, inboxPrefix: string) {
    this.#nats = nats;
    this.#inbox = createInbox(inboxPrefix);
    this.#subscription = nats.subscribe(this.#inbox, {
      callback: (error, message) => {
        if (error === null) this.#onMessage(message);
        else this.#settle()?.onError(error);
      },
    });
  }

  /** Resolves when it asks for no more. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  ask(question: Question): void {
    this.#question = question;
    this.#timer = setTimeout(() => {
      const error = new Error('The server did not answer a request for a job.');
      this.#settle()?.onError(error);
    }, PULL_LOST_MS);
    try {
      question.send(this.#inbox);
    } catch (error) {
      this.#settle()?.onError(error);
    }
  }

  pause(ms: number, then: () => void): void {
    this.#timer = setTimeout(then, ms);
  }

  /** Does not wait for an answer any longer. */
  cancel(): void {
    this.#settle()?.onNothing();
  }

  close(): void {
    this.#settle();
    clearTimeout(this.#timer);
    if (!this.#nats.isClosed()) this.#subscription.unsubscribe();
    this.#closed.resolve();
  }

  /** The question that is open; it is not any more. */
  #settle(): Question | undefined {
    const question = this.#question;
    this.#question = undefined;
    if (question !== undefined) clearTimeout(this.#timer);
    return question;
  }

  #onMessage(message: Msg): void {
    const question = this.#settle();
    // The server's own words are not to be answered.
    if (message.reply === undefined || message.reply === '') {
      const { code, description } = message.headers ?? {};
      if (code === REQUEST_TIMEOUT || code === NOT_FOUND) question?.onNothing();
      else question?.onError(new Error(`The server gives no job: ${code} ${description}`));
      return;
    }
    try {
      const delivery = new Delivery(this.#nats, message);
      if (question !== undefined) question.onJob(delivery);
      // Of a request that was taken for lost: another worker gets it at once.
      else delivery.giveBack();
    } catch (error) {
      question?.onError(error);
    }
  }
}
