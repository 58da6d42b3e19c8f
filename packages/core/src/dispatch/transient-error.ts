const brand = Symbol.for('glovebox.transient');

/**
 * A tool throws it to say that the same call may go well another time: it is tried again, whether
 * the tool is idempotent or not. Recognised across copies of the package.
 */
export class TransientError extends Error {
  override readonly name: string = 'TransientError';
  readonly code: string | number | undefined;
  readonly details: unknown;

  /** @param options.code Passed on to the caller, as `details` is. */
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

export function isTransient(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && brand in thrown;
}
