/**
 * Does things one after the other: at once where nothing before it takes time, so that the common
 * case waits for nothing.
 */
export class InOrder {
  #last: Promise<void> | undefined;

  add(step: () => Promise<void> | undefined, onError: (error: unknown) => void): void {
    try {
      const pending = this.#last === undefined ? step() : this.#last.then(step);
      if (pending !== undefined) this.#hold(pending.catch(onError));
    } catch (error) {
      onError(error);
    }
  }

  #hold(pending: Promise<void>): void {
    const held = pending.then(() => {
      if (this.#last === held) this.#last = undefined;
    });
    this.#last = held;
  }
}
