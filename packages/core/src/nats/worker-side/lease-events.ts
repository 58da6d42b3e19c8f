import type { SlotEventHeader } from '@glovebox/protocol/slot-messages';
import type { NatsConnection } from '@nats-io/nats-core';

import { InOrder } from '../wire/in-order.ts';
import type { LeaseEvent, NumberedEvent } from '../wire/nats-messages.ts';
import { MESSAGE_BYTES } from '../wire/payloads.ts';
import type { Payloads } from '../wire/payloads.ts';

/**
 * Word of a run's start waits so long for company, in milliseconds: a short run says all that it has
 * to say in one message, which spares all parties a sixth of what NATS costs them.
 */
const HOLD_MS = 5;
/** How long the executor may take to say that it has the last word, and how often it is sent. */
const CONFIRM_MS = 3000;
const CONFIRM_TRIES = 5;

/** A run has begun; how long it was held back is added when it is sent. */
type StartEvent = Omit<Extract<LeaseEvent, { readonly type: 'start' }>, 'heldMs'>;
type AliveEvent = Extract<LeaseEvent, { readonly type: 'alive' }>;
/** What a run says before its end. */
type RunEventHeader = Extract<SlotEventHeader, { readonly type: 'log' | 'call' }>;
/** The last event of a lease. */
export type EndEvent =
  | Extract<SlotEventHeader, { readonly type: 'end' }>
  | Extract<LeaseEvent, { readonly type: 'failure' }>;

/** What a lease needs to speak. */
export interface OutgoingOptions {
  readonly nats: NatsConnection;
  readonly payloads: Payloads;
  /** Where the executor listens. */
  readonly subject: string;
  /** Where the server says that nobody does. */
  readonly inbox: string;
}

/** What a worker says about one lease: numbered events in order, few messages, a sure last word. */
export class Outgoing {
  readonly #options: OutgoingOptions;
  readonly #onError: (error: unknown) => void;
  readonly #order = new InOrder();
  /** Resolves once the executor has the last word, or is gone. */
  readonly #told = Promise.withResolvers<void>();
  #batch: Uint8Array[] = [];
  #batchBytes = 0;
  #sequence = 0;
  #willFlush = false;
  /** What waits for company. */
  #begun: { readonly event: StartEvent; readonly at: number } | undefined;
  #holdTimer: NodeJS.Timeout | undefined;
  #lastTimer: NodeJS.Timeout | undefined;

  /** @param onError What was said could not be sent. */
  constructor(options: OutgoingOptions, onError: (error: unknown) => void) {
    this.#options = options;
    this.#onError = onError;
  }

  /** Resolves once the executor has heard the last word, or is gone. */
  told(): Promise<void> {
    return this.#told.promise;
  }

  /** Says that the run has begun: soon, or together with what comes next. */
  begin(event: StartEvent): void {
    this.#sayBegun();
    this.#begun = { event, at: performance.now() };
    this.#holdTimer = setTimeout(() => {
      this.#sayBegun();
      this.#flushLater();
    }, HOLD_MS);
  }

  say(event: RunEventHeader, body: string): void {
    this.#add(event, body, () => this.#flushLater());
  }

  /** Says the last word, until somebody has heard it or nobody is there. */
  end(event: EndEvent, body: string, instead: (cause: unknown) => EndEvent): void {
    const last = (): void => this.#sendLast(this.#take(), 1);
    this.#sayBegun();
    this.#order.add(
      () => this.#pack(event, body, last),
      (cause) => {
        // It takes the place of what could not be sent.
        this.#sequence--;
        this.#add(instead(cause), '', last);
      },
    );
  }

  /** The executor has the last word, or nobody is there to have it. */
  heard(): void {
    clearTimeout(this.#holdTimer);
    clearTimeout(this.#lastTimer);
    this.#told.resolve();
  }

  /** Asks the executor something. */
  ask(event: AliveEvent, timeout: number): Promise<unknown> {
    const answer = Promise.withResolvers<unknown>();
    const { nats, subject } = this.#options;
    this.#add(event, '', () => answer.resolve(nats.request(subject, this.#take(), { timeout })));
    return answer.promise;
  }

  #sayBegun(): void {
    if (this.#begun === undefined) return;
    const { event, at } = this.#begun;
    this.#begun = undefined;
    clearTimeout(this.#holdTimer);
    this.#add({ ...event, heldMs: performance.now() - at }, '', () => undefined);
  }

  #add(event: NumberedEvent['event'], body: string, then: () => void): void {
    this.#sayBegun();
    this.#order.add(() => this.#pack(event, body, then), this.#onError);
  }

  #pack(event: NumberedEvent['event'], body: string, then: () => void): Promise<void> | undefined {
    const packed = this.#options.payloads.pack<NumberedEvent>(
      { sequence: this.#sequence++, event },
      body,
    );
    const add = (bytes: Uint8Array): void => {
      if (this.#batchBytes + bytes.length > MESSAGE_BYTES) this.#flush();
      this.#batch.push(bytes);
      this.#batchBytes += bytes.length;
      then();
    };
    if (packed instanceof Promise) return packed.then(({ bytes }) => add(bytes));
    add(packed.bytes);
    return undefined;
  }

  /** All that is said in one go is one message. */
  #flushLater(): void {
    if (this.#willFlush) return;
    this.#willFlush = true;
    queueMicrotask(() => {
      this.#willFlush = false;
      this.#flush();
    });
  }

  #flush(): void {
    const { nats, subject } = this.#options;
    if (this.#batch.length === 0) return;
    try {
      nats.publish(subject, this.#take());
    } catch (error) {
      this.#onError(error);
    }
  }

  #take(): Uint8Array {
    const [only = new Uint8Array(), ...more] = this.#batch;
    const message = more.length === 0 ? only : Buffer.concat(this.#batch);
    this.#batch = [];
    this.#batchBytes = 0;
    return message;
  }

  #sendLast(message: Uint8Array, tries: number): void {
    const { nats, subject, inbox } = this.#options;
    if (tries > CONFIRM_TRIES || nats.isClosed()) {
      this.heard();
      return;
    }
    nats.publish(subject, message, { reply: inbox });
    this.#lastTimer = setTimeout(() => this.#sendLast(message, tries + 1), CONFIRM_MS);
  }
}
