import { StringCharCodeAt, StringSlice } from './intrinsics.ts';

/**
 * How far a text reaches within so many bytes of UTF-8. A lone surrogate counts three bytes, as the
 * character that replaces it.
 *
 * @returns The index behind the last character that fits, and the bytes up to there.
 */
function measure(text: string, maxBytes: number): { readonly end: number; readonly bytes: number } {
  let bytes = 0;
  let at = 0;
  while (at < text.length) {
    const code = StringCharCodeAt(text, at);
    let units = 1;
    let size = code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
    if (code >= 0xd800 && code < 0xdc00 && at + 1 < text.length) {
      const next = StringCharCodeAt(text, at + 1);
      if (next >= 0xdc00 && next < 0xe000) {
        units = 2;
        size = 4;
      }
    }
    if (bytes + size > maxBytes) break;
    bytes += size;
    at += units;
  }
  return { end: at, bytes };
}

/** Bytes of a text in UTF-8. Stops counting above `enough`, and gives more than it then. */
export function utf8Bytes(text: string, enough: number): number {
  // Every unit is a byte at least.
  if (text.length > enough) return text.length;
  const { end, bytes } = measure(text, enough);
  return end === text.length ? bytes : enough + 1;
}

/** The beginning of a text that has so many bytes of UTF-8 at most; no character is cut in two. */
export function cutToBytes(text: string, maxBytes: number): string {
  return text.length * 3 <= maxBytes ? text : StringSlice(text, 0, measure(text, maxBytes).end);
}
