import { inspect } from 'node:util';

import { SerializationError } from '@glovebox/serializer';

import { serializeForGuest } from './to-guest.ts';

/** The result of a tool is over the limit: no reply to the guest, the run ends. */
export const TOOL_LIMIT: unique symbol = Symbol('tool limit');

const MAX_TEXT = 16_384;

function text(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : otherwise;
}

/** What a thrown value carries, read so that its getters cannot throw. */
function read(value: unknown, key: string): unknown {
  try {
    return (value as Record<string, unknown> | null | undefined)?.[key];
  } catch {
    return undefined;
  }
}

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
  const isObject = typeof error === 'object' && error !== null;
  const code = read(error, 'code');
  const details = encodeDetails(read(error, 'details'));
  return reply({
    name: text(read(error, 'name'), 'Error'),
    message: isObject ? text(read(error, 'message'), '') : text(error, inspect(error)),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(details === undefined ? {} : { details }),
  });
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
