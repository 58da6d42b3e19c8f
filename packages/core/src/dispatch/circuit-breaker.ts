export interface CircuitBreakerOptions {
  /** Number of consecutive failed attempts that open the circuit; 10 by default. */
  readonly failures: number;
  /** How long the circuit stays open, in milliseconds; 30 000 by default. */
  readonly coolDownMs: number;
}

/**
 * Circuit breaker of one tool. After a number of consecutive failures the circuit is open: all
 * attempts are refused until the cool-down is over. Then one attempt is allowed as a probe, and its
 * result closes the circuit or opens it again.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #failures = 0;
  /** End of the cool-down; undefined while the circuit is closed. */
  #openUntil: number | undefined;
  /** Whether the probe is in progress. */
  #isProbing = false;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
  }

  /** Whether attempts are refused now. */
  get isOpen(): boolean {
    if (this.#openUntil === undefined) return false;
    return this.#isProbing || performance.now() < this.#openUntil;
  }

  /**
   * Call it before an attempt. If it returns true, report the result of the attempt by one of the
   * methods below.
   *
   * @returns Whether the attempt is allowed.
   */
  enter(): boolean {
    if (this.isOpen) return false;
    this.#isProbing = this.#openUntil !== undefined;
    return true;
  }

  /** An attempt succeeded, or failed for a reason that is not the fault of the tool. */
  onSuccess(): void {
    this.#failures = 0;
    this.#openUntil = undefined;
    this.#isProbing = false;
  }

  /** An attempt failed through a fault of the tool. */
  onFailure(): void {
    this.#failures++;
    this.#isProbing = false;
    if (this.#failures >= this.#options.failures) {
      this.#openUntil = performance.now() + this.#options.coolDownMs;
    }
  }

  /** An attempt was aborted, so its result says nothing about the tool. */
  onAborted(): void {
    this.#isProbing = false;
  }
}
