import { decodeByTable, decodedLength, encodeByTable, hasStrayBits } from './base64-table.ts';
import { BufferConstructor } from './platform.ts';
import { includes, Uint8ArrayConstructor, uncurry, uncurryGetter } from './primordials.ts';

/**
 * Base64 by the fastest primitive of each place: `toBase64` and `fromBase64` where V8 has them (Node
 * 25 and later), Buffer on an older host, and tables elsewhere.
 */

type EncodeBase64 = (buffer: ArrayBuffer, byteOffset: number, byteLength: number) => string;
export type DecodeBase64 = (text: string) => Uint8Array<ArrayBuffer> | undefined;

/**
 * Bytes per piece, a multiple of 3. Its text has room in memory that V8 uses again and again; a text
 * of a megabyte is memory new from the system, which takes longer to get than to fill.
 */
const PIECE = 73_728;

const encodePiece: EncodeBase64 = chooseEncoder();

/** Standard alphabet, padded. */
export function encodeBase64(buffer: ArrayBuffer, byteOffset: number, byteLength: number): string {
  let text = '';
  let at = 0;
  for (; byteLength - at > PIECE; at += PIECE) text += encodePiece(buffer, byteOffset + at, PIECE);
  return text + encodePiece(buffer, byteOffset + at, byteLength - at);
}

/** Bytes in memory of their own; `undefined` for all but the one text that the encoder writes. */
export const decodeBase64: DecodeBase64 = chooseDecoder();

function chooseEncoder(): EncodeBase64 {
  // Absent from Node 24 and from the library of types.
  const { toBase64 } = Uint8Array.prototype as { toBase64?: () => string };
  if (toBase64 !== undefined) {
    const encode = uncurry(toBase64);
    return (buffer, byteOffset, byteLength) =>
      encode(new Uint8ArrayConstructor(buffer, byteOffset, byteLength));
  }
  if (BufferConstructor === undefined) return encodeByTable;
  const Buffer = BufferConstructor;
  return (buffer, byteOffset, byteLength) =>
    Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

// Not in functions of their own: a function costs a fresh isolate ten times what is done here.
function chooseDecoder(): DecodeBase64 {
  // Absent from Node 24 and from the library of types.
  const { fromBase64 } = Uint8Array as {
    fromBase64?: (text: string, options: object) => Uint8Array<ArrayBuffer>;
  };
  if (fromBase64 !== undefined) {
    const strict = Object.freeze({
      __proto__: null,
      alphabet: 'base64',
      lastChunkHandling: 'strict',
    });
    return (text) => {
      const length = decodedLength(text);
      if (length === undefined) return undefined;
      try {
        const bytes = fromBase64(text, strict);
        // White space is skipped, and shows in the length alone.
        return byteLengthOf(bytes) === length ? bytes : undefined;
      } catch {
        return undefined;
      }
    };
  }
  if (BufferConstructor === undefined) return decodeByTable;
  const Buffer = BufferConstructor;
  return (text) => {
    const length = decodedLength(text);
    if (length === undefined || hasStrayBits(text) || includes(text, '-') || includes(text, '_')) {
      return undefined;
    }
    // Memory of its own, out of no pool, which the text then fills from end to end: what is no
    // letter of the alphabet is skipped, and shows in what was written.
    const buffer = Buffer.allocUnsafeSlow(length);
    return buffer.write(text, 'base64') === length
      ? new Uint8ArrayConstructor(buffer.buffer)
      : undefined;
  };
}

const byteLengthOf = uncurryGetter<number>(
  Object.getPrototypeOf(Uint8Array.prototype) as object,
  'byteLength',
);
