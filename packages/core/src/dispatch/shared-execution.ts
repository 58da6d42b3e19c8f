import type { PauseWallClock } from '../executor/wall-clock.ts';
import { ABORTED, untilAborted } from './abort.ts';

/**
 * One execution that several callers share. It is aborted only when all callers have aborted. A wait
 * for a person pauses the clocks of all callers.
 */
export class SharedExecution<T> {
  readonly #controller = new AbortController();
  readonly #pauses = new Set<PauseWallClock>();
  readonly #waits = new Set<Promise<unknown>>();
  #result: Promise<T> | undefined;

  /** Whether all callers have aborted. Then no other caller may join. */
  get isAborted(): boolean {
    return this.#controller.signal.aborted;
  }

  /**
   * Starts the execution, or joins it if another caller has started it.
   *
   * @param execute Called only for the first caller. It must not reject.
   */
  async join(
    signal: AbortSignal | undefined,
    pause: PauseWallClock,
    execute: (signal: AbortSignal, pause: PauseWallClock) => Promise<T>,
  ): Promise<T | typeof ABORTED> {
    // A new function for each caller, because several callers may pass the same function.
    const ownPause: PauseWallClock = (wait) => pause(wait);
    this.#pauses.add(ownPause);
    for (const wait of this.#waits) pauseClock(ownPause, wait);
    this.#result ??= execute(this.#controller.signal, this.#pauseAll);
    const result = await untilAborted(this.#result, signal);
    this.#pauses.delete(ownPause);
    if (result === ABORTED && this.#pauses.size === 0) this.#controller.abort(signal?.reason);
    return result;
  }

  readonly #pauseAll: PauseWallClock = async (wait) => {
    const pending = wait();
    this.#waits.add(pending);
    for (const pause of this.#pauses) pauseClock(pause, pending);
    try {
      return await pending;
    } finally {
      this.#waits.delete(pending);
    }
  };
}

/** Pauses a clock during a wait. Ignores the result of the wait, which `#pauseAll` returns. */
function pauseClock(pause: PauseWallClock, wait: Promise<unknown>): void {
  pause(() => wait).catch(() => undefined);
}
