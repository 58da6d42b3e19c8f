import { createGuestIsolate, prepareSnapshot } from './isolate.ts';
import type { GuestIsolate } from './isolate.ts';
import type { SlotSettings } from './slot.ts';

/** The answer has to pass two threads and a pipe, for which there may be one core. */
const TIDY_AFTER_MS = 1;

/**
 * The isolates of one thread: some stand ready before they are asked for. Each serves one run and
 * is disposed, except in a session, where one isolate serves all runs until it is lost.
 */
export class IsolateStore {
  readonly #settings: SlotSettings;
  readonly #create: typeof createGuestIsolate;
  readonly #ready: GuestIsolate[] = [];
  /** Isolates whose run is over, until they are disposed. */
  readonly #used = new Set<GuestIsolate>();
  #session: GuestIsolate | undefined;
  #refilling = false;
  #closed = false;

  /** @param create Makes an isolate; given by whoever counts them. */
  constructor(settings: SlotSettings, create = createGuestIsolate) {
    this.#settings = settings;
    this.#create = create;
    prepareSnapshot();
  }

  /** An isolate for a run, or undefined when the session's one is gone. */
  take(memoryMb: number): GuestIsolate | undefined {
    if (this.#session !== undefined) {
      return this.#session.isolate.isDisposed ? undefined : this.#session;
    }
    const ready = memoryMb === this.#settings.memoryMb ? this.#ready.shift() : undefined;
    const guest = ready ?? this.#create({ memoryMb, features: this.#settings.features });
    if (this.#settings.session) this.#session = guest;
    return guest;
  }

  /** Takes an isolate back after its run, once the answer has left. */
  giveBack(guest: GuestIsolate): void {
    if (this.#settings.session) return;
    this.#used.add(guest);
    setTimeout(() => {
      this.#used.delete(guest);
      if (!guest.isolate.isDisposed) guest.isolate.dispose();
      this.refill();
    }, TIDY_AFTER_MS);
  }

  /** Disposes every isolate and makes no more. */
  close(): void {
    this.#closed = true;
    for (const { isolate } of [...this.#ready, ...this.#used, this.#session].filter(
      (guest) => guest !== undefined,
    )) {
      if (!isolate.isDisposed) isolate.dispose();
    }
  }

  /** Makes isolates ready one at a time, with the event loop between, so that a run can come in. */
  refill(): void {
    if (this.#refilling || this.#isFull) return;
    this.#refilling = true;
    setImmediate(() => {
      this.#refilling = false;
      if (this.#isFull) return;
      this.#ready.push(this.#create(this.#settings));
      this.refill();
    });
  }

  get #isFull(): boolean {
    return this.#closed || this.#ready.length >= this.#settings.prepared;
  }
}
