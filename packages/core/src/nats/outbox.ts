interface Step {
  readonly say: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Holds back what is to be said until the turn of the event loop ends: the client writes to its
 * socket once for each microtask that publishes, and what one turn has to say fits into one write.
 */
export class Outbox {
  readonly #steps: Step[] = [];

  /** Does a step when this turn ends, together with all others. */
  add(say: () => void, onError: (error: unknown) => void): void {
    if (this.#steps.push({ say, onError }) === 1) setImmediate(() => this.flush());
  }

  /** Does at once what was put off. */
  flush(): void {
    for (const { say, onError } of this.#steps.splice(0)) {
      try {
        say();
      } catch (error) {
        onError(error);
      }
    }
  }
}
