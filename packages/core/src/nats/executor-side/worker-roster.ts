import { HELLO_MS, NATS_PROTOCOL } from '../wire/nats-messages.ts';
import type { Hello } from '../wire/nats-messages.ts';

/** A worker that sends no heartbeat for this long is lost. */
const LOST_AFTER_MS = 3 * HELLO_MS;
const CHECK_MS = 500;

interface RosterEntry {
  hello: Hello;
  seenAt: number;
}

/** The workers whose heartbeats an executor receives. */
export class WorkerRoster {
  readonly #workers = new Map<string, RosterEntry>();
  readonly #onLost: (worker: string) => void;
  readonly #isConnected: () => boolean;
  readonly #timer: NodeJS.Timeout;
  #lost = 0;
  #incompatible: Hello | undefined;

  /**
   * @param onLost Called for each worker that was restarted or sends no heartbeats.
   * @param isConnected Whether heartbeats can arrive.
   */
  constructor(onLost: (worker: string) => void, isConnected: () => boolean) {
    this.#onLost = onLost;
    this.#isConnected = isConnected;
    this.#timer = setInterval(() => this.#removeSilent(), CHECK_MS).unref();
  }

  /** Workers that take jobs: those that are not draining. */
  get available(): readonly Hello[] {
    return Array.from(this.#workers.values(), ({ hello }) => hello).filter(
      ({ draining }) => !draining,
    );
  }

  /** How many workers were lost without draining first. */
  get lost(): number {
    return this.#lost;
  }

  /** The last worker that uses another protocol version. */
  get incompatible(): Hello | undefined {
    return this.#incompatible;
  }

  has(worker: string): boolean {
    return this.#workers.has(worker);
  }

  /** Records a heartbeat. */
  record(hello: Hello): void {
    if (hello.protocol !== NATS_PROTOCOL) {
      this.#incompatible = hello;
      return;
    }
    const entry = this.#workers.get(hello.worker);
    this.#workers.set(hello.worker, { hello, seenAt: performance.now() });
    // The worker was restarted under its name: the runs of its old process are lost.
    if (entry !== undefined && entry.hello.since !== hello.since) this.#reportLost(entry.hello);
  }

  /** Restarts the time-out of every worker: during an outage, no heartbeat can arrive. */
  resetSilence(): void {
    for (const entry of this.#workers.values()) entry.seenAt = performance.now();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #removeSilent(): void {
    if (!this.#isConnected()) return;
    const since = performance.now() - LOST_AFTER_MS;
    for (const [worker, { hello, seenAt }] of this.#workers) {
      if (seenAt >= since) continue;
      this.#workers.delete(worker);
      this.#reportLost(hello);
    }
  }

  #reportLost({ worker, draining }: Hello): void {
    // A worker that drained has stopped as intended.
    if (!draining) this.#lost++;
    this.#onLost(worker);
  }
}
