import { decodeByTable, decodedLength, encodeByTable, hasStrayBits } from './base64-table.ts';
import { BufferConstructor } from './platform.ts';
import { includes, Uint8ArrayConstructor, uncurry, uncurryGetter } from './primordials.ts';

/**
 * Base64 with the fastest available method: `toBase64` and `fromBase64` if V8 has them (Node 25 and
 * later), otherwise Buffer on a host, otherwise tables.
 */

type EncodeBase64 = (buffer: ArrayBuffer, byteOffset: number, byteLength: number) => string;
export type DecodeBase64 = (text: string) => Uint8Array<ArrayBuffer> | undefined;

/**
 * Bytes per piece, a multiple of 3. The text of a piece fits into memory that V8 reuses. The text
 * of a megabyte needs new memory from the system, which takes longer to allocate than to fill.
 */
const PIECE = 73_728;

const encodePiece: EncodeBase64 = chooseEncoder();

/** Encodes with the standard alphabet and padding. */
export function encodeBase64(buffer: ArrayBuffer, byteOffset: number, byteLength: number): string {
  let text = '';
  let at = 0;
  for (; byteLength - at > PIECE; at += PIECE) text += encodePiece(buffer, byteOffset + at, PIECE);
  return text + encodePiece(buffer, byteOffset + at, byteLength - at);
}

/** Decodes into a new buffer; `undefined` for every text that the encoder would not write. */
export const decodeBase64: DecodeBase64 = chooseDecoder();

function chooseEncoder(): EncodeBase64 {
  // Missing in Node 24 and in TypeScript's library.
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

// Not split into more functions: creating a function in a new isolate costs more than this work.
function chooseDecoder(): DecodeBase64 {
  // Missing in Node 24 and in TypeScript's library.
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
        // `fromBase64` skips white space, which only the length reveals.
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
    // Memory outside the pool of Buffer. The text must fill it completely: `write` skips invalid
    // letters, which the number of written bytes reveals.
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
