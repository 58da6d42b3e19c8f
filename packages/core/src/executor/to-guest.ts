import { BoundedSerializer } from '@glovebox/serializer/safe';

const serializer = new BoundedSerializer({ errorStacks: false });

/**
 * A value of the host as `safe:` text for a guest. Errors in it go without their stacks: those
 * name files of the host.
 *
 * @throws {SerializationError} It cannot cross, or has more than `maxBytes`.
 */
export function serializeForGuest(value: unknown, maxBytes: number): string {
  return serializer.serialize(value, maxBytes);
}
