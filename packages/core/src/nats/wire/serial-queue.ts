/** Runs steps one after the other. A step runs synchronously if no earlier step is pending. */
export class SerialQueue {
  #last: Promise<void> | undefined;

  /**
   * @param step Returns a promise if it takes time.
   * @param onError Called with the error of this step; later steps run all the same.
   */
  add(step: () => Promise<void> | undefined, onError: (error: unknown) => void): void {
    try {
      const pending = this.#last === undefined ? step() : this.#last.then(step);
      if (pending !== undefined) this.#setLast(pending.catch(onError));
    } catch (error) {
      onError(error);
    }
  }

  #setLast(pending: Promise<void>): void {
    const last = pending.then(() => {
      if (this.#last === last) this.#last = undefined;
    });
    this.#last = last;
  }
}
