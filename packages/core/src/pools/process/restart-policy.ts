import { debugLog, inOneLine, ms } from '../../shared/debug-log.ts';

/** Longest delay between two attempts to start hosts. */
const MAX_DELAY_MS = 5000;
const FIRST_DELAY_MS = 100;
/** After this number of failures in a row, the pool is degraded and refuses jobs. */
const DEGRADED_AFTER = 3;

/**
 * Restarts hosts that failed to start, with exponential back-off and jitter, and reports when they
 * keep failing.
 */
export class RestartPolicy {
  readonly #start: () => void;
  readonly #onDegraded: (message: string, cause: unknown) => void;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #degraded: { message: string; cause: unknown } | undefined;

  /**
   * @param start Starts the missing hosts.
   * @param onDegraded Called when hosts keep failing, and again at each further failure.
   */
  constructor(start: () => void, onDegraded: (message: string, cause: unknown) => void) {
    this.#start = start;
    this.#onDegraded = onDegraded;
  }

  /** Why no host can be started; undefined while hosts can be started. */
  get degraded(): { readonly message: string; readonly cause: unknown } | undefined {
    return this.#degraded;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#degraded = undefined;
  }

  failed(message: string, cause: unknown): void {
    this.#failures++;
    if (this.#failures >= DEGRADED_AFTER) {
      this.#degraded = {
        message: `No host can be started (${this.#failures} failures): ${message}`,
        cause,
      };
      this.#onDegraded(this.#degraded.message, cause);
    }
    if (this.#timer !== undefined) return;
    const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#failures - 1));
    const delayMs = delay * (0.75 + Math.random() / 2);
    if (debugLog.enabled) {
      const next = `next attempt in ${ms(delayMs)}`;
      debugLog(
        'hosts did not start, failures: %d: %s; %s',
        this.#failures,
        inOneLine(message),
        next,
      );
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#start();
    }, delayMs);
    // Callers that wait for a host have timers of their own that keep the process alive.
    this.#timer.unref();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
