const brand = Symbol.for('glovebox.transient');

/**
 * A tool throws it if the same call may succeed later. The dispatcher then retries the call, even if
 * the tool is not idempotent. It is recognised across copies of the package.
 */
export class TransientError extends Error {
  override readonly name: string = 'TransientError';
  readonly code: string | number | undefined;
  readonly details: unknown;

  /**
   * @param options.code Passed on to the caller.
   * @param options.details Passed on to the caller.
   */
  constructor(
    message: string,
    options: { code?: string | number; details?: unknown; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.details = options.details;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** Whether a value is a {@link TransientError}, possibly of another copy of the package. */
export function isTransient(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && brand in thrown;
}
