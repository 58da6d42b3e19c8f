import { MAX_BIGINT_DIGITS } from '@glovebox/protocol/guest-source';
import { BoundedSerializer } from '@glovebox/serializer/safe';

const serializer = new BoundedSerializer({ limits: { maxBigIntDigits: MAX_BIGINT_DIGITS } });

/**
 * Decodes a value from a guest. The text is not trusted.
 *
 * @throws {SerializationError} The text is not one that the guest runtime can have written.
 */
export function deserializeFromGuest(text: string, maxBytes: number): unknown {
  return serializer.deserialize(text, maxBytes);
}
