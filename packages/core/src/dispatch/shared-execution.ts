import type { PauseWallClock } from '../executor/wall-clock.ts';
import { ABORTED, untilAborted } from './abort.ts';

/**
 * One execution for which several callers wait. It is aborted only when all of them have given up,
 * and a wait for a person within it stops the clocks of all.
 */
export class SharedExecution<T> {
  readonly #controller = new AbortController();
  readonly #pauses = new Set<PauseWallClock>();
  readonly #waits = new Set<Promise<unknown>>();
  #result: Promise<T> | undefined;

  /** Whether everybody has given up: nobody may join any more. */
  get isAborted(): boolean {
    return this.#controller.signal.aborted;
  }

  /**
   * Begins, or joins what another caller has begun.
   *
   * @param execute Called for the first caller alone. Must not reject.
   */
  async join(
    signal: AbortSignal | undefined,
    pause: PauseWallClock,
    execute: (signal: AbortSignal, pause: PauseWallClock) => Promise<T>,
  ): Promise<T | typeof ABORTED> {
    // One function for each caller: the same one may come with several calls.
    const ownPause: PauseWallClock = (wait) => pause(wait);
    this.#pauses.add(ownPause);
    for (const wait of this.#waits) stopClock(ownPause, wait);
    this.#result ??= execute(this.#controller.signal, this.#pauseAll);
    const result = await untilAborted(this.#result, signal);
    this.#pauses.delete(ownPause);
    if (result === ABORTED && this.#pauses.size === 0) this.#controller.abort(signal?.reason);
    return result;
  }

  readonly #pauseAll: PauseWallClock = async (wait) => {
    const pending = wait();
    this.#waits.add(pending);
    for (const pause of this.#pauses) stopClock(pause, pending);
    try {
      return await pending;
    } finally {
      this.#waits.delete(pending);
    }
  };
}

/** How the wait ends is the business of whoever waits, not of the clocks. */
function stopClock(pause: PauseWallClock, wait: Promise<unknown>): void {
  pause(() => wait).catch(() => undefined);
}
