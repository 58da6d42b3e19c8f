/** Bounds how many attempts are under way; whoever finds no place waits, first come first served. */
export class Places {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(size: number) {
    this.#free = size;
  }

  /**
   * Takes a place.
   *
   * @returns Whether there is one; `false` when the signal came first. A promise only where it has
   *   to wait: most of the time it has not.
   */
  take(signal: AbortSignal | undefined): boolean | Promise<boolean> {
    if (signal?.aborted === true) return false;
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    return new Promise((resolve) => {
      const onPlace = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve(true);
      };
      const onAbort = (): void => {
        this.#waiting.delete(onPlace);
        resolve(false);
      };
      this.#waiting.add(onPlace);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Gives a place back, to the first who waits. */
  giveBack(): void {
    for (const onPlace of this.#waiting) {
      this.#waiting.delete(onPlace);
      onPlace();
      return;
    }
    this.#free++;
  }
}
