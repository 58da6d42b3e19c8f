import { SerializationError } from '@glovebox/serializer/safe';

import { readThrown } from '../shared/thrown.ts';
import { serializeForGuest } from './to-guest.ts';

/** The result of a tool is too large. The guest gets no reply, and the run ends. */
export const RESULT_TOO_LARGE: unique symbol = Symbol('result too large');

/**
 * Encodes the error of a tool for the guest: name, message, code and details, but never its stack or
 * anything else of the host.
 */
export function encodeToolError(
  error: unknown,
  tool: string,
): { ok: false; text: string } | typeof RESULT_TOO_LARGE {
  if (error instanceof SerializationError) {
    if (error.limit === 'maxBytes') return RESULT_TOO_LARGE;
    return reply({
      name: 'SerializationError',
      message: `The result of ${tool} cannot be serialized: ${error.message}`,
      code: 'UNSERIALIZABLE_RESULT',
    });
  }
  const { details, ...thrown } = readThrown(error);
  const encoded = encodeDetails(details);
  return reply(encoded === undefined ? thrown : { ...thrown, details: encoded });
}

function reply(error: object): { ok: false; text: string } {
  return { ok: false, text: JSON.stringify(error) };
}

/** Details are optional, so those that cannot be serialized are omitted. */
function encodeDetails(details: unknown): string | undefined {
  if (details === undefined) return undefined;
  try {
    return serializeForGuest(details, 64 * 1024);
  } catch {
    return undefined;
  }
}
