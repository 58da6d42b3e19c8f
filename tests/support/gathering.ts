/** Where calls of a tool wait for each other, so that it shows how many are in flight at once. */
export class Gathering {
  readonly #size: number;
  readonly #full = Promise.withResolvers<void>();
  readonly #open = Promise.withResolvers<void>();
  #inside = 0;
  #most = 0;

  /** @param size How many are waited for. */
  constructor(size: number) {
    this.#size = size;
  }

  /** Resolves when so many are in flight. */
  get full(): Promise<void> {
    return this.#full.promise;
  }

  /** How many were in flight at most. */
  get most(): number {
    return this.#most;
  }

  /** Lets all go on, and those that come later at once. */
  open(): void {
    this.#open.resolve();
  }

  /** One call: it lasts until all may go on, and a turn of the event loop longer. */
  async call(): Promise<void> {
    this.#most = Math.max(this.#most, ++this.#inside);
    if (this.#inside === this.#size) this.#full.resolve();
    await this.#open.promise;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    this.#inside--;
  }
}
