import { MAX_BIGINT_DIGITS } from '@glovebox/protocol/guest-source';
import { BoundedSerializer } from '@glovebox/serializer/safe';

const serializer = new BoundedSerializer({ limits: { maxBigIntDigits: MAX_BIGINT_DIGITS } });

/**
 * A value that a guest has sent. Nothing is trusted of its text.
 *
 * @throws {SerializationError} It is not what an honest guest's runtime writes.
 */
export function deserializeFromGuest(text: string, maxBytes: number): unknown {
  return serializer.deserialize(text, maxBytes);
}
