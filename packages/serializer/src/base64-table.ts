import {
  applyFunction,
  arrayFrom,
  charCodeAt,
  fromCharCode,
  indexOf,
  Int8ArrayConstructor,
  slice,
  Uint8ArrayConstructor,
} from './primordials.ts';

/** Base64 in pure ECMAScript, and the rules of canonical base64. */

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const PADDING = 61;
/** Bytes per call of `fromCharCode`, a multiple of 3. Limited because arguments use the stack. */
const CHUNK = 6144;

interface Tables {
  readonly codeOfSextet: Uint8Array;
  /** -1 for a code that is not in the alphabet. */
  readonly sextetOfCode: Int8Array;
}

let madeTables: Tables | undefined;

/** Created on first use: most isolates never need it. Writing to typed arrays runs no setters. */
function tables(): Tables {
  if (madeTables !== undefined) return madeTables;
  const codeOfSextet = new Uint8ArrayConstructor(64);
  const sextetOfCode = new Int8ArrayConstructor(128);
  for (let code = 0; code < 128; code++) sextetOfCode[code] = -1;
  for (let sextet = 0; sextet < 64; sextet++) {
    const code = charCodeAt(LETTERS, sextet);
    codeOfSextet[sextet] = code;
    sextetOfCode[code] = sextet;
  }
  madeTables = { codeOfSextet, sextetOfCode };
  return madeTables;
}

let madeChunkCodes: number[] | undefined;

/** An array whose elements all exist, so that writing an element runs no setter of a prototype. */
function chunkCodes(): number[] {
  const items = { __proto__: null, length: (CHUNK / 3) * 4 }; // It must not inherit an iterator.
  madeChunkCodes ??= arrayFrom(items, () => 0);
  return madeChunkCodes;
}

export function encodeByTable(buffer: ArrayBuffer, byteOffset: number, byteLength: number): string {
  const bytes = new Uint8ArrayConstructor(buffer, byteOffset, byteLength);
  const { codeOfSextet } = tables();
  const byteAt = (at: number): number => bytes[at] as number; // The loops stay below `byteLength`.
  const codeOf = (bits: number): number => codeOfSextet[bits & 63] as number; // It has 64 entries.
  let text = '';
  let at = 0;
  if (byteLength >= CHUNK) {
    const codes = chunkCodes();
    for (; at + CHUNK <= byteLength;) {
      for (let to = 0; to < codes.length; to += 4, at += 3) {
        const bits = (byteAt(at) << 16) | (byteAt(at + 1) << 8) | byteAt(at + 2);
        codes[to] = codeOf(bits >> 18);
        codes[to + 1] = codeOf(bits >> 12);
        codes[to + 2] = codeOf(bits >> 6);
        codes[to + 3] = codeOf(bits);
      }
      text += applyFunction(fromCharCode, undefined, codes);
    }
  }
  for (; at + 3 <= byteLength; at += 3) {
    const bits = (byteAt(at) << 16) | (byteAt(at + 1) << 8) | byteAt(at + 2);
    text += fromCharCode(codeOf(bits >> 18), codeOf(bits >> 12), codeOf(bits >> 6), codeOf(bits));
  }
  const rest = byteLength - at;
  if (rest === 1) {
    const bits = byteAt(at) << 4;
    text += fromCharCode(codeOf(bits >> 6), codeOf(bits), PADDING, PADDING);
  } else if (rest === 2) {
    const bits = (byteAt(at) << 10) | (byteAt(at + 1) << 2);
    text += fromCharCode(codeOf(bits >> 12), codeOf(bits >> 6), codeOf(bits), PADDING);
  }
  return text;
}

export function decodeByTable(text: string): Uint8Array<ArrayBuffer> | undefined {
  const length = decodedLength(text);
  if (length === undefined) return undefined;
  const bytes = new Uint8ArrayConstructor(length);
  const { sextetOfCode } = tables();
  const letters = text.length - paddingOf(text);
  let bits = 0;
  let invalid = 0;
  for (let at = 0, to = 0; at < letters; at++) {
    const code = charCodeAt(text, at);
    const sextet = code < 128 ? (sextetOfCode[code] as number) : -1; // The table has 128 entries.
    invalid |= sextet;
    bits = (bits << 6) | sextet;
    // Four letters give three bytes: each letter except the first completes a byte.
    if ((at & 3) !== 0) bytes[to++] = bits >> (6 - 2 * (at & 3));
  }
  return invalid < 0 || hasStrayBits(text) ? undefined : bytes;
}

function paddingOf(text: string): number {
  const { length } = text;
  if (length === 0 || charCodeAt(text, length - 1) !== PADDING) return 0;
  return charCodeAt(text, length - 2) === PADDING ? 2 : 1;
}

/** Number of bytes that a canonical text of this length and padding encodes. */
export function decodedLength(text: string): number | undefined {
  return text.length % 4 === 0 ? (text.length / 4) * 3 - paddingOf(text) : undefined;
}

/** Whether the last letter before the padding has non-zero bits that belong to no byte. */
export function hasStrayBits(text: string): boolean {
  const padding = paddingOf(text);
  if (padding === 0) return false;
  const at = text.length - 1 - padding;
  const sextet = indexOf(LETTERS, slice(text, at, at + 1));
  return (sextet & (padding === 1 ? 3 : 15)) !== 0; // -1, for an invalid letter, has all bits set.
}
