import { BoundedSerializer } from '@glovebox/serializer/safe';

const serializer = new BoundedSerializer({ errorStacks: false });

/**
 * Encodes a value for a guest as `safe:` text. Omits the stacks of errors, because they contain file
 * names of this machine.
 *
 * @throws {SerializationError} The value cannot be serialized, or has more than `maxBytes`.
 */
export function serializeForGuest(value: unknown, maxBytes: number): string {
  return serializer.serialize(value, maxBytes);
}
