import { SerializationError } from '@glovebox/serializer/safe';

import { readThrown } from '../shared/thrown.ts';
import { serializeForGuest } from './to-guest.ts';

/** The result of a tool is over the limit: no reply to the guest, the run ends. */
export const TOOL_LIMIT: unique symbol = Symbol('tool limit');

/**
 * What the guest hears of a tool that failed: name, message, code and details of the error, never
 * its stack or anything else of the host.
 */
export function encodeToolError(
  error: unknown,
  tool: string,
): { ok: false; text: string } | typeof TOOL_LIMIT {
  if (error instanceof SerializationError) {
    if (error.limit === 'maxBytes') return TOOL_LIMIT;
    return reply({
      name: 'SerializationError',
      message: `The result of ${tool} cannot cross to the guest: ${error.message}`,
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

/** Details that cannot cross are left out: they are an extra. */
function encodeDetails(details: unknown): string | undefined {
  if (details === undefined) return undefined;
  try {
    return serializeForGuest(details, 64 * 1024);
  } catch {
    return undefined;
  }
}
