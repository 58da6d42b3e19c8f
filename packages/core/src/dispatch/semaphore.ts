/** Semaphore: limits how many attempts run at the same time. Waiters are served in order. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(size: number) {
    this.#free = size;
  }

  /**
   * Acquires a permit.
   *
   * @returns Whether it was acquired; `false` if the signal was aborted first. It is a promise only
   *   if the caller has to wait, because usually a permit is free.
   */
  acquire(signal: AbortSignal | undefined): boolean | Promise<boolean> {
    if (signal?.aborted === true) return false;
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    return new Promise((resolve) => {
      const onPermit = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve(true);
      };
      const onAbort = (): void => {
        this.#waiting.delete(onPermit);
        resolve(false);
      };
      this.#waiting.add(onPermit);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Releases a permit. The first waiter gets it. */
  release(): void {
    for (const onPermit of this.#waiting) {
      this.#waiting.delete(onPermit);
      onPermit();
      return;
    }
    this.#free++;
  }
}
