import { z } from 'zod';

import { recordSchema } from '../../shared/record-schema.ts';
import { JSON_RPC_CODES } from '../transport/json-rpc-codes.ts';

/** Two ids are the same where type and value are: `1` is not `"1"`. */
export type RequestId = string | number | null;

// A number that a double does not hold would come back as another one, and answer nobody.
export const idSchema = z.union([
  z.string(),
  z.number().refine((id) => !Number.isInteger(id) || Number.isSafeInteger(id)),
  z.null(),
]);

const messageSchema = z.object({
  jsonrpc: z.literal('2.0', { error: 'jsonrpc must be "2.0"' }),
  method: z.string({ error: 'method must be a string' }),
  params: z
    .union([z.array(z.unknown()), recordSchema<Record<string, unknown>>()], {
      error: 'params must be an object or a list',
    })
    .optional(),
  id: z
    .union([idSchema], { error: 'id must be a string, null, or a number that a double holds' })
    .optional(),
});

/** A request; a notification where it has no id. */
export interface RequestMessage {
  readonly id?: RequestId | undefined;
  readonly method: string;
  readonly params?: unknown;
}

export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

interface ResultMessage {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly result: unknown;
}

interface ErrorMessage {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly error: ErrorObject;
}

export type ResponseMessage = ResultMessage | ErrorMessage;

export function resultMessage(id: RequestId, result: unknown): ResultMessage {
  return { jsonrpc: '2.0', id, result };
}

export function errorMessage(id: RequestId, error: ErrorObject): ErrorMessage {
  return { jsonrpc: '2.0', id, error };
}

export function invalidRequest(message: string, id: RequestId = null): ErrorMessage {
  return errorMessage(id, { code: JSON_RPC_CODES.INVALID_REQUEST, message });
}

/** Reads a message, or says what is wrong with it: to its id, where it has a sound one. */
export function readMessage(value: unknown): RequestMessage | ErrorMessage {
  const parsed = messageSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject) return invalidRequest('A message must be an object.');
  const id = idSchema.safeParse('id' in value ? value.id : null);
  const message = parsed.error.issues[0]?.message ?? 'The message is malformed.';
  return invalidRequest(message, id.success ? id.data : null);
}
