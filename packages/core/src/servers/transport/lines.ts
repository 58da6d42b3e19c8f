import type { Readable } from 'node:stream';

import { ByteBuffer } from './byte-buffer.ts';

const NEWLINE = 0x0a;

/** Stands for a line that was skipped because it is longer than the maximum. */
export const TOO_LONG: unique symbol = Symbol('too long');
/** Stands for a line that is not UTF-8. */
export const NOT_TEXT: unique symbol = Symbol('not text');

type Line = string | typeof TOO_LONG | typeof NOT_TEXT;

/**
 * The lines of a stream, without blank lines. At most `maxBytes` of a line are kept in memory.
 */
export async function* readLines(input: Readable, maxBytes: number): AsyncGenerator<Line> {
  const buffered = new ByteBuffer();
  let isTooLong = false;
  const append = (chunk: Buffer): void => {
    isTooLong ||= buffered.length + chunk.length > maxBytes;
    if (isTooLong) buffered.take();
    else buffered.append(chunk);
  };
  const endLine = (): Line => {
    const line = isTooLong ? TOO_LONG : (toText(buffered.take())?.trim() ?? NOT_TEXT);
    isTooLong = false;
    return line;
  };
  // The streams that are read here have no encoding, so they yield Buffers.
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let rest = chunk;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      append(rest.subarray(0, end));
      const line = endLine();
      if (line !== '') yield line;
      rest = rest.subarray(end + 1);
    }
    append(rest);
  }
  const line = endLine();
  if (line !== '') yield line;
}

/** Decodes UTF-8; undefined if the bytes are not valid UTF-8. */
export function toText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
