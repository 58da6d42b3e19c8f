import { NATS_PROTOCOL } from '../wire/nats-messages.ts';
import type { Hello } from '../wire/nats-messages.ts';

/** How often a worker says that it is there. */
export const HELLO_MS = 2000;
/** A worker that was silent for so long is lost. */
const LOST_AFTER_MS = 3 * HELLO_MS;
const SWEEP_MS = 500;

interface Known {
  hello: Hello;
  seenAt: number;
}

/** The workers that an executor hears of. */
export class Roster {
  readonly #workers = new Map<string, Known>();
  readonly #onLost: (worker: string) => void;
  readonly #isConnected: () => boolean;
  readonly #timer: NodeJS.Timeout;
  #lost = 0;
  #refused: Hello | undefined;

  /**
   * @param onLost Called for each worker that fell silent.
   * @param isConnected Whether workers can be heard at all.
   */
  constructor(onLost: (worker: string) => void, isConnected: () => boolean) {
    this.#onLost = onLost;
    this.#isConnected = isConnected;
    this.#timer = setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  /** Workers that take jobs. */
  get listening(): readonly Hello[] {
    return Array.from(this.#workers.values(), ({ hello }) => hello).filter(
      ({ draining }) => !draining,
    );
  }

  /** Workers that fell silent. */
  get lost(): number {
    return this.#lost;
  }

  /** The last worker that spoke another protocol. */
  get refused(): Hello | undefined {
    return this.#refused;
  }

  has(worker: string): boolean {
    return this.#workers.has(worker);
  }

  note(hello: Hello): void {
    if (hello.protocol !== NATS_PROTOCOL) {
      this.#refused = hello;
      return;
    }
    const known = this.#workers.get(hello.worker);
    this.#workers.set(hello.worker, { hello, seenAt: performance.now() });
    // It was started anew under its name: what the one before it had is lost.
    if (known !== undefined && known.hello.since !== hello.since) this.#onGone(known.hello);
  }

  /** Nobody could be heard for a while: that is no fault of the workers. */
  forgive(): void {
    for (const known of this.#workers.values()) known.seenAt = performance.now();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    if (!this.#isConnected()) return;
    const since = performance.now() - LOST_AFTER_MS;
    for (const [worker, { hello, seenAt }] of this.#workers) {
      if (seenAt >= since) continue;
      this.#workers.delete(worker);
      this.#onGone(hello);
    }
  }

  #onGone({ worker, draining }: Hello): void {
    // One that said that it would go has gone in good order.
    if (!draining) this.#lost++;
    this.#onLost(worker);
  }
}
