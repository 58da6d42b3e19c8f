import type { IncomingMessage } from 'node:http';

import { ByteBuffer } from './byte-buffer.ts';
import type { HttpRefusal } from './http-guard.ts';
import { toText } from './lines.ts';

/**
 * Reads the JSON body of a POST request as text.
 *
 * @param maxBytes Maximum size; a larger body is refused.
 * @returns The text, or why the request is refused; undefined if the client disconnected.
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<string | HttpRefusal | undefined> {
  const { method, headers } = request;
  if (method !== 'POST') {
    return { status: 405, message: 'Only POST is allowed.', headers: { allow: 'POST' } };
  }
  // A page of another origin cannot send this type without a CORS preflight request.
  if (!/^application\/json *(?:;|$)/i.test(headers['content-type'] ?? '')) {
    return { status: 415, message: 'The content type must be application/json.' };
  }
  const tooLarge = { status: 413, message: `A body may have at most ${maxBytes} bytes.` };
  if (Number(headers['content-length'] ?? 0) > maxBytes) return tooLarge;
  const body = new ByteBuffer();
  try {
    // A request without an encoding yields Buffers.
    for await (const chunk of request as AsyncIterable<Buffer>) {
      if (body.length + chunk.length > maxBytes) return tooLarge;
      body.append(chunk);
    }
  } catch {
    return undefined;
  }
  return toText(body.take()) ?? { status: 400, message: 'The body is not UTF-8.' };
}
