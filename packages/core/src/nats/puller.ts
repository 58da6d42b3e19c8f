import { setTimeout as delay } from 'node:timers/promises';

import type { Consumer, JsMsg } from '@nats-io/jetstream';

/** How long one request for a job stands; a worker that drains waits for no longer. */
const PULL_MS = 2000;
/** Between attempts to get at the stream again. */
const RETRY_MS = 500;

/** A consumer, and for how long it leaves a job with a worker that gives no sign. */
export interface JobSource {
  readonly consumer: Consumer;
  readonly leaseMs: number;
}

/**
 * Takes jobs from one consumer: as many at a time as there are slots, each asked for when its slot
 * is free. Nothing is fetched ahead: a job that waits, waits where every worker can take it.
 */
export class Puller {
  readonly #open: () => Promise<JobSource>;
  readonly #carryOut: (message: JsMsg, leaseMs: number) => Promise<unknown>;
  readonly #onError: (error: unknown) => void;
  readonly #loops: readonly Promise<void>[];
  #source: Promise<JobSource> | undefined;
  #isStopped = false;

  /** @param carryOut Resolves when the slot of the job is free. */
  constructor(
    slots: number,
    open: () => Promise<JobSource>,
    carryOut: (message: JsMsg, leaseMs: number) => Promise<unknown>,
    onError: (error: unknown) => void,
  ) {
    this.#open = open;
    this.#carryOut = carryOut;
    this.#onError = onError;
    this.#loops = Array.from({ length: slots }, () => this.#pull());
  }

  /** Takes no more. Resolves when the last job has left its slot. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#loops);
  }

  async #pull(): Promise<void> {
    while (!this.#isStopped) {
      try {
        this.#source ??= this.#open();
        const { consumer, leaseMs } = await this.#source;
        const message = await consumer.next({ expires: PULL_MS });
        if (message === null) continue;
        // It came while the worker was told to stop: another one gets it at once.
        if (this.#isStopped) message.nak();
        else await this.#carryOut(message, leaseMs);
      } catch (error) {
        if (this.#isStopped) return;
        // The stream may be gone with its server's memory: it is made again.
        this.#source = undefined;
        this.#onError(error);
        await delay(RETRY_MS);
      }
    }
  }
}
