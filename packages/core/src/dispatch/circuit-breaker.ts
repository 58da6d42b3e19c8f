export interface CircuitBreakerOptions {
  /** Attempts that must fail one after the other; 10 by default. */
  readonly failures: number;
  /** How long the tool is left alone then, in milliseconds; 30 000 by default. */
  readonly coolDownMs: number;
}

/**
 * Leaves a tool alone that fails again and again: after the last of so many failures nobody gets
 * through, until the cool-down is over; then one attempt does, and its end decides.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #failures = 0;
  /** When the cool-down is over; undefined while the circuit is closed. */
  #openUntil: number | undefined;
  #isProbing = false;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
  }

  /** Whether nobody gets through now. */
  get isOpen(): boolean {
    if (this.#openUntil === undefined) return false;
    return this.#isProbing || performance.now() < this.#openUntil;
  }

  /** To be called before an attempt; whoever got through tells how it ended. */
  enter(): boolean {
    if (this.isOpen) return false;
    this.#isProbing = this.#openUntil !== undefined;
    return true;
  }

  /** An attempt ended well, or failed in a way that says nothing against the tool. */
  onSuccess(): void {
    this.#failures = 0;
    this.#openUntil = undefined;
    this.#isProbing = false;
  }

  onFailure(): void {
    this.#failures++;
    this.#isProbing = false;
    if (this.#failures >= this.#options.failures) {
      this.#openUntil = performance.now() + this.#options.coolDownMs;
    }
  }

  /** An attempt was given up before it could tell anything. */
  onGivenUp(): void {
    this.#isProbing = false;
  }
}
