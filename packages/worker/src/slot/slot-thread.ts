import type { SlotSettings } from '@glovebox/protocol/host-messages';
import { Piscina } from 'piscina';

import { SLOT_LOADED } from './slot-data.ts';
import type { SlotData } from './slot-data.ts';
import type { SlotLinkData } from './slot-link.ts';
import { createTurns } from './snapshot-turns.ts';

/** A slot's thread ended by itself, or was terminated. */
export class SlotLostError extends Error {
  override readonly name = 'SlotLostError';
}

/** Threads of this process make their snapshots one after the other. */
const turns = createTurns();

/** The thread of one slot: a Piscina of its own, so that it can be terminated without a neighbour. */
export class SlotThread {
  readonly #pool: Piscina<SlotLinkData, void>;
  readonly #terminator = new AbortController();
  readonly #loaded = Promise.withResolvers<void>();
  readonly #ended: Promise<void>;

  constructor(settings: SlotSettings, link: SlotLinkData) {
    this.#pool = new Piscina({
      filename: import.meta.resolve('@glovebox/worker/slot'),
      // The one task takes one thread, and a thread that is lost is not replaced here.
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: Infinity,
      // With atomics the thread would sleep, and hear of nothing but tasks.
      atomics: 'disabled',
      recordTiming: false,
      workerHistogram: false,
      env: {},
      workerData: { ...settings, turns } satisfies SlotData,
    });
    this.#pool.on('message', (message) => {
      if (message === SLOT_LOADED) this.#loaded.resolve();
    });
    this.#pool.on('error', (error: Error) => this.#loaded.reject(error));
    // Piscina's type is that of the wrong overload of `postMessage`; it passes on what it is given.
    const transferList = (link.kind === 'port' ? [link.port] : []) as object;
    this.#ended = this.#pool
      .run(link, { signal: this.#terminator.signal, transferList })
      .catch((cause: unknown) => {
        const lost = new SlotLostError('The thread of the slot ended.', { cause });
        this.#loaded.reject(lost);
        throw lost;
      });
    // Somebody may never wait for them.
    this.#loaded.promise.catch(() => undefined);
    this.#ended.catch(() => undefined);
  }

  /** Resolves when the thread has loaded; rejects when it cannot. */
  loaded(): Promise<void> {
    return this.#loaded.promise;
  }

  /** Resolves when the slot has closed as it was told; rejects when the thread is gone otherwise. */
  ended(): Promise<void> {
    return this.#ended;
  }

  /** Terminates the thread. It may hang for good in a guest that V8 cannot interrupt. */
  terminate(): void {
    this.#terminator.abort();
  }

  /** Ends what is left, once the slot has ended. */
  async destroy(): Promise<void> {
    await this.#pool.destroy();
  }
}
