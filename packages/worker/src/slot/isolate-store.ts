import type { SlotSettings } from '@glovebox/protocol/host-messages';

import { createGuestIsolate, prepareSnapshot } from './guest-isolate.ts';
import type { GuestIsolate } from './guest-isolate.ts';

/** The answer has to pass two threads and a pipe, for which there may be one core. */
const TIDY_AFTER_MS = 1;
/** Rehearsals are for times at which there is nothing else to do. */
const REHEARSE_AFTER_MS = 1;

/**
 * The isolates of one thread: some stand ready before they are asked for. Each serves one run and
 * is disposed, except in a session, where one isolate serves all runs until it is lost.
 */
export class IsolateStore {
  readonly #settings: SlotSettings;
  readonly #create: typeof createGuestIsolate;
  /** Isolates that wait for a run: first so many that have rehearsed, then the others. */
  readonly #ready: GuestIsolate[] = [];
  #rehearsed = 0;
  #rehearsing: GuestIsolate | undefined;
  /** Isolates whose run is over, until they are disposed. */
  readonly #used = new Set<GuestIsolate>();
  #session: GuestIsolate | undefined;
  #runs = 0;
  #refilling = false;
  #rehearsal: NodeJS.Timeout | undefined;
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
    const guest =
      (memoryMb === this.#settings.memoryMb ? this.#takeReady() : undefined) ??
      this.#create({ memoryMb, features: this.#settings.features });
    if (this.#settings.session) this.#session = guest;
    else this.#runs++;
    return guest;
  }

  /** Takes an isolate back after its run, once the answer has left. */
  giveBack(guest: GuestIsolate): void {
    if (this.#settings.session) return;
    this.#runs--;
    this.#used.add(guest);
    setTimeout(() => {
      this.#used.delete(guest);
      discard(guest);
      this.refill();
    }, TIDY_AFTER_MS);
  }

  /** Disposes every isolate and makes no more. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#rehearsal);
    for (const guest of [...this.#ready, this.#rehearsing, ...this.#used, this.#session]) {
      if (guest !== undefined) discard(guest);
    }
  }

  /** Makes isolates ready one at a time, with the event loop between, so that a run can come in. */
  refill(): void {
    if (this.#refilling || this.#closed) return;
    const count = this.#ready.length + (this.#rehearsing === undefined ? 0 : 1);
    if (count >= this.#settings.prepared) {
      this.#rehearseSoon();
      return;
    }
    this.#refilling = true;
    setImmediate(() => {
      this.#refilling = false;
      if (this.#closed) return;
      this.#ready.push(this.#create(this.#settings));
      this.refill();
    });
  }

  #takeReady(): GuestIsolate | undefined {
    if (this.#rehearsed > 0) this.#rehearsed--;
    return this.#ready.shift();
  }

  #rehearseSoon(): void {
    clearTimeout(this.#rehearsal);
    this.#rehearsal = setTimeout(() => void this.#rehearse(), REHEARSE_AFTER_MS);
  }

  /** Lets one isolate after the other rehearse, while another one is ready for a run that comes in. */
  async #rehearse(): Promise<void> {
    if (this.#runs > 0 || this.#rehearsing !== undefined || this.#ready.length < 2) return;
    const [guest] = this.#ready.splice(this.#rehearsed, 1);
    if (guest === undefined) return;
    this.#rehearsing = guest;
    const isGood = await guest.rehearse().then(
      () => true,
      () => false,
    );
    this.#rehearsing = undefined;
    if (this.#closed) return;
    if (isGood) this.#ready.splice(this.#rehearsed++, 0, guest);
    else discard(guest);
    this.refill();
  }
}

function discard({ isolate }: GuestIsolate): void {
  if (!isolate.isDisposed) isolate.dispose();
}
