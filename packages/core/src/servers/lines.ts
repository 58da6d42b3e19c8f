import type { Readable } from 'node:stream';

const NEWLINE = 0x0a;

/** A line is longer than it may be; the rest of it was left out. */
export const TOO_LONG: unique symbol = Symbol('too long');
/** A line is not UTF-8. */
export const NOT_TEXT: unique symbol = Symbol('not text');

/**
 * The lines of a stream, without those that are blank. No more than `maxBytes` of a line are held.
 */
export async function* readLines(
  input: Readable,
  maxBytes: number,
): AsyncGenerator<string | typeof TOO_LONG | typeof NOT_TEXT> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    // A stream without encoding, as all that are read here, gives Buffers.
    let rest = chunk as Buffer;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      const line = toLine([...parts, rest.subarray(0, end)], bytes + end, maxBytes);
      if (line !== '') yield line;
      parts = [];
      bytes = 0;
      rest = rest.subarray(end + 1);
    }
    bytes += rest.length;
    if (bytes > maxBytes) parts = [];
    else if (rest.length > 0) parts.push(rest);
  }
  const line = toLine(parts, bytes, maxBytes);
  if (line !== '') yield line;
}

function toLine(
  parts: readonly Buffer[],
  bytes: number,
  maxBytes: number,
): string | typeof TOO_LONG | typeof NOT_TEXT {
  if (bytes > maxBytes) return TOO_LONG;
  return toText(Buffer.concat(parts))?.trim() ?? NOT_TEXT;
}

/** Undefined where it is not UTF-8. */
export function toText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
