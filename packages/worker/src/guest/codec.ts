import { deserialize, serialize, SerializationError } from '@glovebox/serializer/safe';

import { MAX_BIGINT_DIGITS } from '../guest-messages.ts';
import { defineValue, ErrorConstructorCaptured } from './primordials.ts';

/** Options without a prototype: guest code may have given `Object.prototype` properties of theirs. */
function options(limits: object): object {
  return { __proto__: null, limits: { __proto__: null, ...limits } };
}

/** A value of the guest as `safe:` text. Throws a {@link SerializationError}. */
export function encode(value: unknown, maxBytes: number): string {
  return serialize(value, options({ maxBytes, maxBigIntDigits: MAX_BIGINT_DIGITS }));
}

/** A value of the host from its `safe:` text. Throws a {@link SerializationError}. */
export function decode(text: string, maxBytes: number): unknown {
  return deserialize(text, options({ maxBytes }));
}

/** A copy through the serializer, with what is shared still shared. */
export function clone(value: unknown, maxBytes: number): unknown {
  const references = 'preserve';
  const text = serialize(value, {
    __proto__: null,
    references,
    ...options({ maxBytes }),
  } as object);
  return decode(text, maxBytes);
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
