import type { SlotEventHeader } from '@glovebox/protocol/slot-messages';
import type { NatsConnection } from '@nats-io/nats-core';

import type { LeaseEvent, NumberedEvent } from '../wire/nats-messages.ts';
import { MESSAGE_BYTES } from '../wire/payloads.ts';
import type { Payloads } from '../wire/payloads.ts';
import { SerialQueue } from '../wire/serial-queue.ts';

/**
 * Delays `start` by up to 5 ms to batch it with the next event. All events of a short run are then
 * one message, which saves each party a sixth of its cost for NATS.
 */
const START_DELAY_MS = 5;
/** The executor confirms the end event within this time; otherwise the worker re-sends it. */
const CONFIRM_TIMEOUT_MS = 3000;
/** How often the end event is sent at most. */
const MAX_END_SENDS = 5;

/** The `start` event; `heldMs` is added when the event is sent. */
type StartEvent = Omit<Extract<LeaseEvent, { readonly type: 'start' }>, 'heldMs'>;
type AliveEvent = Extract<LeaseEvent, { readonly type: 'alive' }>;
/** An event between start and end. */
type RunEventHeader = Extract<SlotEventHeader, { readonly type: 'log' | 'call' }>;
/** The last event of a lease. */
export type EndEvent =
  | Extract<SlotEventHeader, { readonly type: 'end' }>
  | Extract<LeaseEvent, { readonly type: 'failure' }>;

export interface LeaseEventsOptions {
  readonly nats: NatsConnection;
  readonly payloads: Payloads;
  /** The subject of the events. */
  readonly subject: string;
  /** The reply subject of the end event, where the server reports that the executor is gone. */
  readonly inbox: string;
}

/**
 * Sends the events of one lease to its executor: numbered, in order, and in batches. The end event is
 * re-sent until the executor confirms it.
 */
export class LeaseEvents {
  readonly #options: LeaseEventsOptions;
  readonly #onError: (error: unknown) => void;
  readonly #queue = new SerialQueue();
  readonly #confirmed = Promise.withResolvers<void>();
  #batch: Uint8Array[] = [];
  #batchBytes = 0;
  #sequence = 0;
  #isFlushScheduled = false;
  #delayedStart: { readonly event: StartEvent; readonly at: number } | undefined;
  #startTimer: NodeJS.Timeout | undefined;
  #confirmTimer: NodeJS.Timeout | undefined;

  /** @param onError Called when an event could not be sent. */
  constructor(options: LeaseEventsOptions, onError: (error: unknown) => void) {
    this.#options = options;
    this.#onError = onError;
  }

  /** Resolves when the end event is confirmed, or when the worker stops waiting for that. */
  confirmed(): Promise<void> {
    return this.#confirmed.promise;
  }

  /** Sends `start`: with the next event, or after a short delay. */
  start(event: StartEvent): void {
    this.#addDelayedStart();
    this.#delayedStart = { event, at: performance.now() };
    this.#startTimer = setTimeout(() => {
      this.#addDelayedStart();
      this.#scheduleFlush();
    }, START_DELAY_MS);
  }

  send(event: RunEventHeader, body: string): void {
    this.#add(event, body, () => this.#scheduleFlush());
  }

  /**
   * Sends the end event, and re-sends it until it is confirmed.
   *
   * @param toFailure Makes the event that is sent instead if this one cannot be sent.
   */
  end(event: EndEvent, body: string, toFailure: (cause: unknown) => EndEvent): void {
    const sendBatch = (): void => this.#sendEnd(this.#takeBatch(), 1);
    this.#addDelayedStart();
    this.#queue.add(
      () => this.#pack(event, body, sendBatch),
      (cause) => {
        // The failure takes the sequence number of the event that could not be sent.
        this.#sequence--;
        this.#add(toFailure(cause), '', sendBatch);
      },
    );
  }

  /** Stops the re-sends: the executor has the end event, or cannot receive it any more. */
  confirm(): void {
    clearTimeout(this.#startTimer);
    clearTimeout(this.#confirmTimer);
    this.#confirmed.resolve();
  }

  /** Sends a heartbeat as a request. Resolves with the executor's response. */
  requestAlive(event: AliveEvent, timeout: number): Promise<unknown> {
    const response = Promise.withResolvers<unknown>();
    const { nats, subject } = this.#options;
    this.#add(event, '', () =>
      response.resolve(nats.request(subject, this.#takeBatch(), { timeout })),
    );
    return response.promise;
  }

  #addDelayedStart(): void {
    if (this.#delayedStart === undefined) return;
    const { event, at } = this.#delayedStart;
    this.#delayedStart = undefined;
    clearTimeout(this.#startTimer);
    this.#add({ ...event, heldMs: performance.now() - at }, '', () => undefined);
  }

  /** Adds an event to the batch. @param then Called when it is in the batch. */
  #add(event: NumberedEvent['event'], body: string, then: () => void): void {
    this.#addDelayedStart();
    this.#queue.add(() => this.#pack(event, body, then), this.#onError);
  }

  #pack(event: NumberedEvent['event'], body: string, then: () => void): Promise<void> | undefined {
    const packed = this.#options.payloads.pack<NumberedEvent>(
      { sequence: this.#sequence++, event },
      body,
    );
    const addToBatch = (bytes: Uint8Array): void => {
      if (this.#batchBytes + bytes.length > MESSAGE_BYTES) this.#flush();
      this.#batch.push(bytes);
      this.#batchBytes += bytes.length;
      then();
    };
    if (packed instanceof Promise) return packed.then(({ bytes }) => addToBatch(bytes));
    addToBatch(packed.bytes);
    return undefined;
  }

  /** Batches all events of the same turn of the event loop into one message. */
  #scheduleFlush(): void {
    if (this.#isFlushScheduled) return;
    this.#isFlushScheduled = true;
    queueMicrotask(() => {
      this.#isFlushScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    const { nats, subject } = this.#options;
    if (this.#batch.length === 0) return;
    try {
      nats.publish(subject, this.#takeBatch());
    } catch (error) {
      this.#onError(error);
    }
  }

  #takeBatch(): Uint8Array {
    const [only = new Uint8Array(), ...more] = this.#batch;
    const message = more.length === 0 ? only : Buffer.concat(this.#batch);
    this.#batch = [];
    this.#batchBytes = 0;
    return message;
  }

  #sendEnd(message: Uint8Array, attempt: number): void {
    const { nats, subject, inbox } = this.#options;
    if (attempt > MAX_END_SENDS || nats.isClosed()) {
      this.confirm();
      return;
    }
    nats.publish(subject, message, { reply: inbox });
    this.#confirmTimer = setTimeout(() => this.#sendEnd(message, attempt + 1), CONFIRM_TIMEOUT_MS);
  }
}
