import { defineData, freeze, hasOwn, ownField } from './primordials.ts';

/**
 * - `UNSUPPORTED_TYPE`: the value cannot be serialized exactly, or an option is not valid
 * - `CYCLE`: the value contains a cycle that the format cannot represent
 * - `UNKNOWN_TAG`: the text contains a tag that is neither built in nor registered
 * - `MALFORMED`: the text is not JSON, or a tag does not have the required fields
 * - `LIMIT`: a limit is exceeded; the error has `limit`, `allowed` and `used`
 * - `UNSAFE_REJECTED`: the text is `unsafe:` or `pickle:` text, which is not allowed
 * - `BAD_PREFIX`: the text does not start with `safe:`
 */
export type SerializationErrorCode =
  | 'UNSUPPORTED_TYPE'
  | 'CYCLE'
  | 'UNKNOWN_TAG'
  | 'MALFORMED'
  | 'LIMIT'
  | 'UNSAFE_REJECTED'
  | 'BAD_PREFIX';

export interface SerializationErrorDetails {
  /** Path in the value, such as `.rows[3].when` or `.get("key")`; empty for the value itself. */
  readonly path?: string | undefined;
  /** The value at the path. */
  readonly value?: unknown;
  readonly cause?: unknown;
  /** Name of the limit, as in `Limits`. */
  readonly limit?: string;
  readonly allowed?: number;
  /** The needed amount, or a lower bound of it if counting stopped early. */
  readonly used?: number;
}

/** The only error that this package throws. */
export class SerializationError extends Error {
  readonly code: SerializationErrorCode;
  readonly path: string;
  readonly value: unknown;
  readonly limit: string | undefined;
  readonly allowed: number | undefined;
  readonly used: number | undefined;

  readonly #isSerializationError = true;

  constructor(
    code: SerializationErrorCode,
    reason: string,
    details: SerializationErrorDetails = {},
  ) {
    const path = ownField(details, 'path') ?? '';
    super(path === '' ? reason : `${reason} (at ${path})`);
    this.code = code;
    this.path = path;
    this.value = ownField(details, 'value');
    this.limit = ownField(details, 'limit');
    this.allowed = ownField(details, 'allowed');
    this.used = ownField(details, 'used');
    if (hasOwn(details, 'cause')) defineData(this, 'cause', details.cause, false);
  }

  /** Recognises the error by a private field, which cannot be forged. */
  static is(value: unknown): value is SerializationError {
    return typeof value === 'object' && value !== null && #isSerializationError in value;
  }

  override get name(): string {
    return 'SerializationError';
  }
}

freeze(SerializationError);
freeze(SerializationError.prototype);
