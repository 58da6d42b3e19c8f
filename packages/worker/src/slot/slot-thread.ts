import type { SlotSettings } from '@glovebox/protocol/host-messages';
import { Piscina } from 'piscina';

import { SLOT_LOADED } from './slot-data.ts';
import type { SlotData } from './slot-data.ts';
import type { SlotLinkData } from './slot-link.ts';
import { createSnapshotLock } from './snapshot-lock.ts';

/** A slot's thread ended without a `close` command, or was terminated. */
export class SlotLostError extends Error {
  override readonly name = 'SlotLostError';
}

/** Held by a thread of this process while it makes its snapshot. */
const snapshotLock = createSnapshotLock();

/** The thread of one slot. It is a Piscina pool of its own, so that it can be terminated alone. */
export class SlotThread {
  readonly #pool: Piscina<SlotLinkData, void>;
  readonly #terminator = new AbortController();
  readonly #loaded = Promise.withResolvers<void>();
  readonly #ended: Promise<void>;

  constructor(settings: SlotSettings, link: SlotLinkData) {
    this.#pool = new Piscina({
      filename: import.meta.resolve('@glovebox/worker/slot'),
      // One task, one thread. With a minimum of 0, Piscina does not replace a thread that ended.
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: Infinity,
      // With atomics the thread would block while it waits for tasks, and receive no messages.
      atomics: 'disabled',
      recordTiming: false,
      workerHistogram: false,
      env: {},
      workerData: { ...settings, snapshotLock } satisfies SlotData,
    });
    this.#pool.on('message', (message) => {
      if (message === SLOT_LOADED) this.#loaded.resolve();
    });
    this.#pool.on('error', (error: Error) => this.#loaded.reject(error));
    // Piscina declares the type of the wrong overload of `postMessage`, but passes the list on as is.
    const transferList = (link.kind === 'port' ? [link.port] : []) as object;
    this.#ended = this.#pool
      .run(link, { signal: this.#terminator.signal, transferList })
      .catch((cause: unknown) => {
        const lost = new SlotLostError('The thread of the slot ended.', { cause });
        this.#loaded.reject(lost);
        throw lost;
      });
    // The caller may never await these promises: prevents unhandled rejections.
    this.#loaded.promise.catch(() => undefined);
    this.#ended.catch(() => undefined);
  }

  /** Resolves when the thread has loaded; rejects when it cannot. */
  loaded(): Promise<void> {
    return this.#loaded.promise;
  }

  /** Resolves when the slot has ended after a `close` command; rejects if it ended otherwise. */
  ended(): Promise<void> {
    return this.#ended;
  }

  /** Terminates the thread. It may never end if V8 cannot interrupt the guest. */
  terminate(): void {
    this.#terminator.abort();
  }

  /** Releases the resources of the thread, after the slot has ended. */
  async destroy(): Promise<void> {
    await this.#pool.destroy();
  }
}
