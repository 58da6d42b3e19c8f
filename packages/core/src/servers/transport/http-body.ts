import type { IncomingMessage } from 'node:http';

import { ByteBuffer } from './byte-buffer.ts';
import type { HttpRefusal } from './http-guard.ts';
import { toText } from './lines.ts';

/**
 * Reads a JSON body of a request as text, up to so many bytes.
 *
 * @returns Undefined where the client went away.
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<string | HttpRefusal | undefined> {
  const { method, headers } = request;
  if (method !== 'POST') {
    return { status: 405, message: 'Only POST is served here.', headers: { allow: 'POST' } };
  }
  // A page of another origin can send no such type without being asked about first.
  if (!/^application\/json *(?:;|$)/i.test(headers['content-type'] ?? '')) {
    return { status: 415, message: 'The content type must be application/json.' };
  }
  const tooLarge = { status: 413, message: `A body has at most ${maxBytes} bytes.` };
  if (Number(headers['content-length'] ?? 0) > maxBytes) return tooLarge;
  const body = new ByteBuffer();
  try {
    // Without an encoding, a request gives Buffers.
    for await (const chunk of request as AsyncIterable<Buffer>) {
      if (body.length + chunk.length > maxBytes) return tooLarge;
      body.append(chunk);
    }
  } catch {
    return undefined;
  }
  return toText(body.take()) ?? { status: 400, message: 'The body is not UTF-8.' };
}
