import type { Readable } from 'node:stream';

import { ByteBuffer } from './byte-buffer.ts';

const NEWLINE = 0x0a;

/** A line is longer than it may be; it was left out. */
export const TOO_LONG: unique symbol = Symbol('too long');
/** A line is not UTF-8. */
export const NOT_TEXT: unique symbol = Symbol('not text');

type Line = string | typeof TOO_LONG | typeof NOT_TEXT;

/**
 * The lines of a stream, without those that are blank. No more than `maxBytes` of a line are held.
 */
export async function* readLines(input: Readable, maxBytes: number): AsyncGenerator<Line> {
  const held = new ByteBuffer();
  let isTooLong = false;
  const hold = (piece: Buffer): void => {
    isTooLong ||= held.length + piece.length > maxBytes;
    if (isTooLong) held.take();
    else held.append(piece);
  };
  const endLine = (): Line => {
    const line = isTooLong ? TOO_LONG : (toText(held.take())?.trim() ?? NOT_TEXT);
    isTooLong = false;
    return line;
  };
  // A stream without encoding, as all that are read here, gives Buffers.
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let rest = chunk;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      hold(rest.subarray(0, end));
      const line = endLine();
      if (line !== '') yield line;
      rest = rest.subarray(end + 1);
    }
    hold(rest);
  }
  const line = endLine();
  if (line !== '') yield line;
}

/** Undefined where it is not UTF-8. */
export function toText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
