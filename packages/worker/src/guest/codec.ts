import { MAX_BIGINT_DIGITS, MAX_REGEXP_WORK } from '@glovebox/protocol/guest-source';
import { BoundedSerializer, SerializationError } from '@glovebox/serializer/safe';

import { defineValue, ErrorConstructorCaptured } from './intrinsics.ts';

const outgoing = createSerializer({
  limits: { maxBigIntDigits: MAX_BIGINT_DIGITS, maxRegExpWork: MAX_REGEXP_WORK },
});
// Most runs get nothing that is to be read, and copy nothing.
let incoming: BoundedSerializer | undefined;
let cloning: BoundedSerializer | undefined;

/** Guest code that runs before may have given `Object.prototype` the names of options. */
function createSerializer(options: object): BoundedSerializer {
  return new BoundedSerializer({ __proto__: null, ...options } as object);
}

/** A value of the guest as `safe:` text. Throws a {@link SerializationError}. */
export function encode(value: unknown, maxBytes: number): string {
  return outgoing.serialize(value, maxBytes);
}

/** A value of the host from its `safe:` text. Throws a {@link SerializationError}. */
export function decode(text: string, maxBytes: number): unknown {
  incoming ??= createSerializer({});
  return incoming.deserialize(text, maxBytes);
}

/** A copy through the serializer, with what is shared still shared. */
export function clone(value: unknown, maxBytes: number): unknown {
  cloning ??= createSerializer({ references: 'preserve' });
  return cloning.deserialize(cloning.serialize(value, maxBytes), maxBytes);
}

/**
 * What guest code may have of an error: a plain copy of ours. The instance itself is trusted where
 * it is caught, so that none must ever be in a guest's hands.
 */
export function forGuest(error: unknown, name?: string): unknown {
  if (!(error instanceof SerializationError)) return error;
  const copy = new ErrorConstructorCaptured(error.message);
  defineValue(copy, 'name', name ?? 'SerializationError');
  defineValue(copy, 'code', error.code);
  defineValue(copy, 'path', error.path);
  return copy;
}

export { SerializationError };
