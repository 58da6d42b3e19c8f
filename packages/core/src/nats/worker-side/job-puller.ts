import { nanos } from '@nats-io/nats-core';
import type { NatsConnection } from '@nats-io/nats-core';

import { messageOf } from '../../shared/message-of.ts';
import type { Delivery } from './delivery.ts';
import { PULL_MS, PullSlot } from './pull-slot.ts';

/** The pause after an error, before the stream is opened again. */
const RETRY_MS = 500;
/** How long an acknowledgement may wait for a pull request that carries it. */
const ACK_DELAY_MS = 100;

const REQUEST = JSON.stringify({ batch: 1, expires: nanos(PULL_MS) });

/** The consumer from which jobs are pulled. */
export interface JobSource {
  /** The subject of pull requests. */
  readonly subject: string;
  readonly consumer: string;
  /** A job whose lease is not renewed for this long goes to another worker. */
  readonly leaseMs: number;
}

export interface JobPullerOptions {
  readonly nats: NatsConnection;
  /** The prefix of the subjects on which jobs arrive. */
  readonly inboxPrefix: string;
  readonly slots: number;
  /** Finds or creates the stream and the consumer. */
  readonly open: () => Promise<JobSource>;
  /** Runs a job, and calls `release` when its slot is free. Must not throw. */
  readonly onJob: (delivery: Delivery, leaseMs: number, release: () => void) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Pulls jobs from one consumer. Each free slot pulls one job; there is no prefetch, so that a waiting
 * job stays in the stream, where every worker can take it.
 *
 * The client's `consumer.next` does the same, but for every job it subscribes, creates timers and
 * iterators, unsubscribes, and sends a separate acknowledgement. Without these, and with batched
 * confirmations of end events, a run takes 0.24 ms of the server's processor time instead of 0.35,
 * and 0.28 ms of the worker's instead of 0.45. Nothing here awaits a promise between the end of a
 * run and the next pull request: both go to the socket in one write.
 */
export class JobPuller {
  readonly #options: JobPullerOptions;
  readonly #slots: readonly PullSlot[];
  /** Deliveries that are done but not acknowledged. */
  readonly #unacknowledged: Delivery[] = [];
  #ackTimer: NodeJS.Timeout | undefined;
  #source: JobSource | undefined;
  #opening: Promise<JobSource> | undefined;
  /** The last error message that was reported; undefined after a success. */
  #lastError: string | undefined;
  #isDraining = false;
  #isClosed = false;

  constructor(options: JobPullerOptions) {
    this.#options = options;
    const { nats, inboxPrefix, slots } = options;
    this.#slots = Array.from({ length: slots }, () => new PullSlot(nats, inboxPrefix));
    for (const slot of this.#slots) this.#next(slot);
  }

  /** Acknowledges a job with the next pull request, or after a short delay. */
  acknowledge(delivery: Delivery): void {
    if (this.#isClosed) return;
    this.#unacknowledged.push(delivery);
    this.#ackTimer ??= setTimeout(() => this.#flushAcknowledgements(), ACK_DELAY_MS);
  }

  /** Opens the stream and pulls again. A restarted server has lost all requests, maybe the stream. */
  restart(): void {
    this.#source = undefined;
    this.#lastError = undefined;
    for (const slot of this.#slots) slot.cancel();
  }

  /** Pulls no more jobs. Resolves when the last job has released its slot. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await Promise.all(this.#slots.map(({ closed }) => closed));
  }

  /** Pulls no more jobs, and does not wait for those that run. */
  close(): void {
    this.#isDraining = true;
    this.#isClosed = true;
    this.#flushAcknowledgements();
    for (const slot of this.#slots) slot.close();
  }

  #flushAcknowledgements(): void {
    clearTimeout(this.#ackTimer);
    this.#ackTimer = undefined;
    for (const delivery of this.#unacknowledged.splice(0)) delivery.ack();
  }

  #next(slot: PullSlot): void {
    const source = this.#source;
    if (this.#isDraining) slot.close();
    else if (source === undefined) void this.#open(slot);
    else this.#pull(slot, source);
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

  #pull(slot: PullSlot, { subject, consumer, leaseMs }: JobSource): void {
    const { nats, onJob } = this.#options;
    slot.pull({
      send: (inbox) => {
        const delivery = this.#unacknowledged.pop();
        if (delivery?.consumer === consumer) {
          delivery.ackAndPull(REQUEST, inbox);
          return;
        }
        // The old consumer is gone with its stream: it would not respond to a pull request.
        delivery?.ack();
        nats.publish(subject, REQUEST, { reply: inbox });
      },
      onJob: (delivery) => {
        this.#lastError = undefined;
        if (!this.#isDraining) {
          onJob(delivery, leaseMs, () => this.#next(slot));
          return;
        }
        // The job arrived after the drain began: it goes to another worker at once.
        delivery.nak();
        slot.close();
      },
      onNoJob: () => {
        this.#lastError = undefined;
        this.#next(slot);
      },
      onError: (error) => this.#onError(slot, error),
    });
  }

  #onError(slot: PullSlot, error: unknown): void {
    // A restarted server may have lost a stream that it kept in memory: `open` creates it again.
    this.#source = undefined;
    // All slots get the same error, and get it repeatedly: report it once.
    const why = messageOf(error);
    if (!this.#isDraining && why !== this.#lastError) this.#options.onError(error);
    this.#lastError = why;
    slot.retryAfter(RETRY_MS, () => this.#next(slot));
  }
}
