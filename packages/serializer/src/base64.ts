import { BufferConstructor } from './platform.ts';
import {
  applyFunction,
  charCodeAt,
  fromCharCode,
  includes,
  uncurry,
  uncurryGetter,
  Uint8ArrayConstructor,
} from './primordials.ts';

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

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const PADDING = 61;
/** Bytes per call of `fromCharCode`, a multiple of 3: its arguments lie on the stack. */
const CHUNK = 6144;

const codeOfSextet = new Uint8Array(64);
const sextetOfCode = new Int8Array(128).fill(-1);
for (let sextet = 0; sextet < 64; sextet++) {
  const code = LETTERS.charCodeAt(sextet);
  codeOfSextet[sextet] = code;
  sextetOfCode[code] = sextet;
}
/** Every element exists already, so that writing one runs no setter of a prototype. */
const chunkCodes: number[] = Array.from({ length: (CHUNK / 3) * 4 }, () => 0);

function sextetCode(bits: number): number {
  return codeOfSextet[bits & 63] as number; // The table has 64 entries.
}

function encodeByTable(buffer: ArrayBuffer, byteOffset: number, byteLength: number): string {
  const bytes = new Uint8ArrayConstructor(buffer, byteOffset, byteLength);
  const byteAt = (at: number): number => bytes[at] as number; // The loops stay below `byteLength`.
  let text = '';
  let at = 0;
  for (; at + CHUNK <= byteLength;) {
    for (let to = 0; to < chunkCodes.length; to += 4, at += 3) {
      const bits = (byteAt(at) << 16) | (byteAt(at + 1) << 8) | byteAt(at + 2);
      chunkCodes[to] = sextetCode(bits >> 18);
      chunkCodes[to + 1] = sextetCode(bits >> 12);
      chunkCodes[to + 2] = sextetCode(bits >> 6);
      chunkCodes[to + 3] = sextetCode(bits);
    }
    text += applyFunction(fromCharCode, undefined, chunkCodes);
  }
  for (; at + 3 <= byteLength; at += 3) {
    const bits = (byteAt(at) << 16) | (byteAt(at + 1) << 8) | byteAt(at + 2);
    text += fromCharCode(
      sextetCode(bits >> 18),
      sextetCode(bits >> 12),
      sextetCode(bits >> 6),
      sextetCode(bits),
    );
  }
  const rest = byteLength - at;
  if (rest === 1) {
    const bits = byteAt(at) << 4;
    text += fromCharCode(sextetCode(bits >> 6), sextetCode(bits), PADDING, PADDING);
  } else if (rest === 2) {
    const bits = (byteAt(at) << 10) | (byteAt(at + 1) << 2);
    text += fromCharCode(sextetCode(bits >> 12), sextetCode(bits >> 6), sextetCode(bits), PADDING);
  }
  return text;
}

function decodeByTable(text: string): Uint8Array<ArrayBuffer> | undefined {
  const length = decodedLength(text);
  if (length === undefined) return undefined;
  const bytes = new Uint8ArrayConstructor(length);
  const letters = text.length - paddingOf(text);
  let bits = 0;
  let invalid = 0;
  for (let at = 0, to = 0; at < letters; at++) {
    const code = charCodeAt(text, at);
    const sextet = code < 128 ? (sextetOfCode[code] as number) : -1; // The table has 128 entries.
    invalid |= sextet;
    bits = (bits << 6) | sextet;
    // Each group of four letters gives three bytes, the first of them with its second letter.
    if ((at & 3) !== 0) bytes[to++] = bits >> (6 - 2 * (at & 3));
  }
  return invalid < 0 || hasStrayBits(text) ? undefined : bytes;
}

function paddingOf(text: string): number {
  const { length } = text;
  if (length === 0 || charCodeAt(text, length - 1) !== PADDING) return 0;
  return charCodeAt(text, length - 2) === PADDING ? 2 : 1;
}

/** Number of bytes that a canonical text of this length and padding holds. */
function decodedLength(text: string): number | undefined {
  return text.length % 4 === 0 ? (text.length / 4) * 3 - paddingOf(text) : undefined;
}

/** Whether the last letter before the padding carries bits that belong to no byte. */
function hasStrayBits(text: string): boolean {
  const padding = paddingOf(text);
  if (padding === 0) return false;
  const sextet = sextetOfCode[charCodeAt(text, text.length - 1 - padding) & 127] as number;
  return (sextet & (padding === 1 ? 3 : 15)) !== 0;
}
