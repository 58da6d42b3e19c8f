import { deserialize, serialize } from '@glovebox/serializer/safe';
import { z } from 'zod';

import { recordSchema } from '../../shared/record-schema.ts';
import { toTaggedJson } from '../../shared/tagged-json.ts';
import { JSON_RPC_CODES, JsonRpcFailure } from '../transport/json-rpc-codes.ts';

/**
 * How values are written. `json`: JSON, with the tags of `safe:` for values that JSON cannot
 * represent. `safe`: `safe:` text. `python`: `safe:` text that Python can read. With every format,
 * arguments and variables may be JSON or `safe:` text.
 */
export const formatSchema = z.enum(['json', 'safe', 'python']).default('json');
export type Format = z.output<typeof formatSchema>;

const profileOf = (format: Format): 'python' | 'native' =>
  format === 'python' ? 'python' : 'native';

const variablesSchema = recordSchema<Record<string, unknown>>();

/** Reads a value from a client: decodes `safe:` text, and returns JSON unchanged. */
export function readValue(given: unknown, format: Format, what: string): unknown {
  if (typeof given !== 'string' || !given.startsWith('safe:')) return given;
  try {
    return deserialize(given, { profile: profileOf(format) });
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    throw new JsonRpcFailure(JSON_RPC_CODES.INVALID_PARAMS, `${what}: ${message}`);
  }
}

export function readVariables(given: unknown, format: Format): Record<string, unknown> {
  const variables = variablesSchema.safeParse(readValue(given, format, 'variables'));
  if (variables.success) return variables.data;
  const message = 'variables must be an object, or safe: text of an object.';
  throw new JsonRpcFailure(JSON_RPC_CODES.INVALID_PARAMS, message);
}

/**
 * Writes a value for a client.
 *
 * @throws {SerializationError} if the format is `python` and Python cannot read the value.
 */
export function writeValue(value: unknown, format: Format): unknown {
  switch (format) {
    case 'json':
      return toTaggedJson(value);
    case 'safe':
      return serialize(value);
    case 'python':
      // A function without a return value returns undefined in JavaScript, and None in Python.
      return serialize(value === undefined ? null : value, { profile: 'python' });
  }
}
