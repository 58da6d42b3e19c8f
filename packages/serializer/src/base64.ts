import { decodeByTable, decodedLength, encodeByTable, hasStrayBits } from './base64-table.ts';
import { BufferConstructor } from './platform.ts';
import { includes, uncurry, uncurryGetter, Uint8ArrayConstructor } from './primordials.ts';

/**
 * Base64 by the fastest primitive of each place: Buffer on the host, `toBase64` and `fromBase64`
 * where V8 has them (Node 25 and later), and tables elsewhere.
 */

export type EncodeBase64 = (buffer: ArrayBuffer, byteOffset: number, byteLength: number) => string;
export type DecodeBase64 = (text: string) => Uint8Array<ArrayBuffer> | undefined;

/** Standard alphabet, padded. */
export const encodeBase64: EncodeBase64 = chooseEncoder();

/** Bytes in memory of their own; `undefined` for all but the one text that the encoder writes. */
export const decodeBase64: DecodeBase64 = chooseDecoder();

function chooseEncoder(): EncodeBase64 {
  if (BufferConstructor !== undefined) {
    const Buffer = BufferConstructor;
    return (buffer, byteOffset, byteLength) =>
      Buffer.from(buffer, byteOffset, byteLength).toString('base64');
  }
  // Absent from Node 24 and from the library of types.
  const { toBase64 } = Uint8Array.prototype as { toBase64?: () => string };
  if (toBase64 === undefined) return encodeByTable;
  const encode = uncurry(toBase64);
  return (buffer, byteOffset, byteLength) =>
    encode(new Uint8ArrayConstructor(buffer, byteOffset, byteLength));
}

function chooseDecoder(): DecodeBase64 {
  if (BufferConstructor !== undefined) {
    const Buffer = BufferConstructor;
    return (text) => {
      const length = decodedLength(text);
      if (
        length === undefined ||
        hasStrayBits(text) ||
        includes(text, '-') ||
        includes(text, '_')
      ) {
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
  // Absent from Node 24 and from the library of types.
  const { fromBase64 } = Uint8Array as {
    fromBase64?: (text: string, options: object) => Uint8Array<ArrayBuffer>;
  };
  if (fromBase64 === undefined) return decodeByTable;
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

const byteLengthOf = uncurryGetter<number>(
  Object.getPrototypeOf(Uint8Array.prototype) as object,
  'byteLength',
);
