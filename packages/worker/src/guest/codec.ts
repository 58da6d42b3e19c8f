import { MAX_BIGINT_DIGITS, MAX_REGEXP_WORK } from '@glovebox/protocol/guest-source';
import { BoundedSerializer, SerializationError } from '@glovebox/serializer/safe';

import { defineValue, ErrorConstructorCaptured } from './intrinsics.ts';

const outgoing = createSerializer({
  limits: { maxBigIntDigits: MAX_BIGINT_DIGITS, maxRegExpWork: MAX_REGEXP_WORK },
});
// Created when first used, because most runs neither decode nor clone anything.
let incoming: BoundedSerializer | undefined;
let cloning: BoundedSerializer | undefined;

/**
 * The options have no prototype: guest code may have added properties to `Object.prototype` that
 * have the names of options.
 */
function createSerializer(options: object): BoundedSerializer {
  return new BoundedSerializer({ __proto__: null, ...options } as object);
}

/** Encodes a value of the guest as `safe:` text. Throws a {@link SerializationError}. */
export function encode(value: unknown, maxBytes: number): string {
  return outgoing.serialize(value, maxBytes);
}

/** Decodes a value of the host from `safe:` text. Throws a {@link SerializationError}. */
export function decode(text: string, maxBytes: number): unknown {
  incoming ??= createSerializer({});
  return incoming.deserialize(text, maxBytes);
}

/** Copies a value through the serializer. Shared references stay shared. */
export function clone(value: unknown, maxBytes: number): unknown {
  cloning ??= createSerializer({ references: 'preserve' });
  return cloning.deserialize(cloning.serialize(value, maxBytes), maxBytes);
}

/**
 * Converts an error for guest code: a `SerializationError` becomes a plain error with the same
 * fields. Code that catches a `SerializationError` trusts it, so guest code must never get one.
 */
export function toGuestError(error: unknown, name?: string): unknown {
  if (!(error instanceof SerializationError)) return error;
  const copy = new ErrorConstructorCaptured(error.message);
  defineValue(copy, 'name', name ?? 'SerializationError');
  defineValue(copy, 'code', error.code);
  defineValue(copy, 'path', error.path);
  return copy;
}

export { SerializationError };
