/**
 * Waits for a person. The clocks of the call are paused until the wait settles.
 *
 * @param wait Called at once. Its result is returned, or its error thrown.
 */
export type PauseWallClock = <T>(wait: () => Promise<T>) => Promise<T>;

/**
 * A time limit that can be paused: while at least one wait is pending, no time counts. Calls
 * `onElapsed` once, when the time is up.
 */
export class WallClock {
  readonly #limitMs: number;
  readonly #onElapsed: () => void;
  /** When the clock was last started; undefined while it is paused or stopped. */
  #runningSince: number | undefined;
  /** Time that was counted before the last start. */
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

  /** The time that has been counted, in milliseconds, without pauses. */
  get elapsedMs(): number {
    const since = this.#runningSince;
    return this.#countedMs + (since === undefined ? 0 : performance.now() - since);
  }

  /** Pauses the clock until the wait settles. If the clock is already stopped, only waits. */
  readonly pauseDuring: PauseWallClock = async (wait) => {
    this.#waits++;
    this.#pause();
    try {
      return await wait();
    } finally {
      this.#waits--;
      if (this.#waits === 0) this.#resume();
    }
  };

  /** Stops the clock permanently: `elapsedMs` no longer changes, and `onElapsed` is not called. */
  stop(): void {
    this.#pause();
    this.#isStopped = true;
  }

  #resume(): void {
    if (this.#isStopped) return;
    this.#runningSince = performance.now();
    if (this.#hasElapsed) return;
    this.#timer = setTimeout(() => {
      this.#hasElapsed = true;
      this.#onElapsed();
    }, this.#limitMs - this.#countedMs);
  }

  #pause(): void {
    this.#countedMs = this.elapsedMs;
    this.#runningSince = undefined;
    clearTimeout(this.#timer);
  }
}
