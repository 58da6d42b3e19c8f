import type { SlotSettings } from '@glovebox/protocol/host-messages';

import { createGuestIsolate, prepareSnapshot } from './guest-isolate.ts';
import type { GuestIsolate } from './guest-isolate.ts';

/**
 * Delay before a used isolate is disposed. The outcome of its run must first pass two threads and a
 * pipe, possibly all on one core.
 */
const DISPOSE_DELAY_MS = 1;
/** Delay before a warm-up, so that it happens only while nothing else is to do. */
const WARM_UP_DELAY_MS = 1;

/**
 * The isolates of one thread. Some are prepared in advance. Each isolate serves one run and is then
 * disposed, except in a session, where one isolate serves all runs until it is lost.
 */
export class IsolateStore {
  readonly #settings: SlotSettings;
  readonly #create: typeof createGuestIsolate;
  /** Prepared isolates: the first `#warmCount` are warm, the others are not yet. */
  readonly #ready: GuestIsolate[] = [];
  #warmCount = 0;
  #warmingUp: GuestIsolate | undefined;
  /** Isolates whose run has ended, until they are disposed. */
  readonly #used = new Set<GuestIsolate>();
  #session: GuestIsolate | undefined;
  #runs = 0;
  #refilling = false;
  #warmUpTimer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param create Creates an isolate; tests replace it. */
  constructor(settings: SlotSettings, create = createGuestIsolate) {
    this.#settings = settings;
    this.#create = create;
    prepareSnapshot();
  }

  /** An isolate for a run, or undefined if the isolate of the session no longer exists. */
  acquire(memoryMb: number): GuestIsolate | undefined {
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

  /** Releases an isolate after its run. Call it after the outcome was sent. */
  release(guest: GuestIsolate): void {
    if (this.#settings.session) return;
    this.#runs--;
    this.#used.add(guest);
    setTimeout(() => {
      this.#used.delete(guest);
      discard(guest);
      this.refill();
    }, DISPOSE_DELAY_MS);
  }

  /** Disposes every isolate and creates no more. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#warmUpTimer);
    for (const guest of [...this.#ready, this.#warmingUp, ...this.#used, this.#session]) {
      if (guest !== undefined) discard(guest);
    }
  }

  /** Prepares isolates, one per turn of the event loop, so that a run can start in between. */
  refill(): void {
    if (this.#refilling || this.#closed) return;
    const count = this.#ready.length + (this.#warmingUp === undefined ? 0 : 1);
    if (count >= this.#settings.prepared) {
      this.#scheduleWarmUp();
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
    if (this.#warmCount > 0) this.#warmCount--;
    return this.#ready.shift();
  }

  #scheduleWarmUp(): void {
    clearTimeout(this.#warmUpTimer);
    this.#warmUpTimer = setTimeout(() => void this.#warmUp(), WARM_UP_DELAY_MS);
  }

  /** Warms up one isolate at a time, and only while another one is ready for the next run. */
  async #warmUp(): Promise<void> {
    if (this.#runs > 0 || this.#warmingUp !== undefined || this.#ready.length < 2) return;
    const [guest] = this.#ready.splice(this.#warmCount, 1);
    if (guest === undefined) return;
    this.#warmingUp = guest;
    const succeeded = await guest.warmUp().then(
      () => true,
      () => false,
    );
    this.#warmingUp = undefined;
    if (this.#closed) return;
    if (succeeded) this.#ready.splice(this.#warmCount++, 0, guest);
    else discard(guest);
    this.refill();
  }
}

function discard({ isolate }: GuestIsolate): void {
  if (!isolate.isDisposed) isolate.dispose();
}
