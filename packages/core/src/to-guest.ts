import { serialize } from '@glovebox/serializer';

/**
 * A value of the host as `safe:` text for a guest. Errors in it go without their stacks: those
 * name files of the host.
 *
 * @throws {SerializationError} It cannot cross, or has more than `maxBytes`.
 */
export function serializeForGuest(value: unknown, maxBytes: number): string {
  return serialize(value, { errorStacks: false, limits: { maxBytes } });
}
