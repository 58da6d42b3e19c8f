import { deserialize } from '@glovebox/serializer';
import { MAX_BIGINT_DIGITS } from '@glovebox/worker';

/**
 * A value that a guest has sent. Nothing is trusted of its text.
 *
 * @throws {SerializationError} It is not what an honest guest's runtime writes.
 */
export function deserializeFromGuest(text: string, maxBytes: number): unknown {
  return deserialize(text, { limits: { maxBytes, maxBigIntDigits: MAX_BIGINT_DIGITS } });
}
