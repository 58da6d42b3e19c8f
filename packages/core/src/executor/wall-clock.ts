/**
 * Waits for a person; the clocks of the call stand still until it settles.
 *
 * @param wait Called at once; its result or error is passed on.
 */
export type PauseWallClock = <T>(wait: () => Promise<T>) => Promise<T>;

/**
 * A limit in time that can stand still: while at least one wait is pending, no time passes. Calls
 * back once when the time is up.
 */
export class WallClock {
  readonly #limitMs: number;
  readonly #onElapsed: () => void;
  /** When the time that is counted now began; undefined while the clock is not going. */
  #goingSince: number | undefined;
  /** What was counted before. */
  #countedMs = 0;
  #waits = 0;
  #timer: NodeJS.Timeout | undefined;
  #hasElapsed = false;
  #isStopped = false;

  constructor(limitMs: number, onElapsed: () => void) {
    this.#limitMs = limitMs;
    this.#onElapsed = onElapsed;
    this.#resume();
  }

  /** The time that has passed, in milliseconds, without that in which it stood still. */
  get elapsedMs(): number {
    const since = this.#goingSince;
    return this.#countedMs + (since === undefined ? 0 : performance.now() - since);
  }

  /** Stands still until the wait settles. Once the clock is stopped, it is just the wait. */
  readonly pauseDuring: PauseWallClock = async (wait) => {
    this.#waits++;
    this.#halt();
    try {
      return await wait();
    } finally {
      this.#waits--;
      if (this.#waits === 0) this.#resume();
    }
  };

  /** Stops for good: `elapsedMs` stays as it is, and nobody is called back. */
  stop(): void {
    this.#halt();
    this.#isStopped = true;
  }

  #resume(): void {
    if (this.#isStopped) return;
    this.#goingSince = performance.now();
    if (this.#hasElapsed) return;
    this.#timer = setTimeout(() => {
      this.#hasElapsed = true;
      this.#onElapsed();
    }, this.#limitMs - this.#countedMs);
  }

  #halt(): void {
    this.#countedMs = this.elapsedMs;
    this.#goingSince = undefined;
    clearTimeout(this.#timer);
  }
}
