import { z } from 'zod';

import { recordSchema } from '../../shared/record-schema.ts';
import { JSON_RPC_CODES } from '../transport/json-rpc-codes.ts';

/** Ids are equal if their types and values are equal: `1` is not `"1"`. */
export type RequestId = string | number | null;

// An integer that a double cannot hold would be sent back as another id, which matches no request.
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
    .union([idSchema], {
      error: 'id must be a string, null, or a number that a double can represent',
    })
    .optional(),
});

/** A request; without an id it is a notification. */
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

/** Parses a message. Returns an error response if it is invalid, with its id if the id is valid. */
export function readMessage(value: unknown): RequestMessage | ErrorMessage {
  const parsed = messageSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject) return invalidRequest('A message must be an object.');
  const id = idSchema.safeParse('id' in value ? value.id : null);
  const message = parsed.error.issues[0]?.message ?? 'The message is malformed.';
  return invalidRequest(message, id.success ? id.data : null);
}
