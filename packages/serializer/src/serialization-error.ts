import { defineData, freeze, hasOwn, ownField } from './primordials.ts';

/**
 * - `UNSUPPORTED_TYPE`: the value, or an option, is not one that can be carried exactly
 * - `CYCLE`: the value contains itself where the wire has no place for that
 * - `UNKNOWN_TAG`: the text holds a tag that is neither built in nor registered
 * - `MALFORMED`: the text is not JSON, or a tag does not have the fields that it must have
 * - `LIMIT`: a limit is exceeded; the error's `limit`, `allowed` and `used` say which and by how much
 * - `UNSAFE_REJECTED`: the text is an `unsafe:` or `pickle:` payload that nobody asked to read
 * - `BAD_PREFIX`: the text does not begin with `safe:`
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
  /** Where in the value: `.rows[3].when`, `.get("key")`; empty for the value itself. */
  readonly path?: string | undefined;
  /** What was found there. */
  readonly value?: unknown;
  readonly cause?: unknown;
  /** Name of the limit, as in `Limits`. */
  readonly limit?: string;
  readonly allowed?: number;
  /** What was needed; at least this much, where counting stopped early. */
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

  /** Tells one by what no other object can have, whatever its prototype says. */
  static is(value: unknown): value is SerializationError {
    return typeof value === 'object' && value !== null && #isSerializationError in value;
  }

  override get name(): string {
    return 'SerializationError';
  }
}

freeze(SerializationError);
freeze(SerializationError.prototype);
