import {
  ArrayBufferByteLength,
  DataViewBuffer,
  DataViewByteLength,
  DataViewByteOffset,
  RangeErrorConstructor,
  StringCharCodeAt,
  StringConstructor,
  StringFromCharCode,
  TypedArrayBuffer,
  TypedArrayByteLength,
  TypedArrayByteOffset,
  TypedArrayLength,
  TypedArrayName,
  TypeErrorConstructor,
  Uint8ArrayConstructor,
} from './intrinsics.ts';

const REPLACEMENT = 0xfffd;

/** The code point at an index; U+FFFD for a lone surrogate. */
function codePointAt(text: string, index: number): number {
  const unit = StringCharCodeAt(text, index);
  if (unit < 0xd800 || unit > 0xdfff) return unit;
  const low = StringCharCodeAt(text, index + 1);
  if (unit > 0xdbff || !(low >= 0xdc00 && low <= 0xdfff)) return REPLACEMENT;
  return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

/** Encodes whole code points until the array is full. Counts code units read and bytes written. */
function encodeInto(text: string, bytes: Uint8Array): { read: number; written: number } {
  const size = TypedArrayLength(bytes) as number;
  let read = 0;
  let written = 0;
  while (read < text.length) {
    const point = codePointAt(text, read);
    const length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (written + length > size) break;
    if (length === 1) bytes[written++] = point;
    else {
      bytes[written++] = ((0xf00 >> length) & 0xff) | (point >> (6 * (length - 1)));
      for (let rest = length - 2; rest >= 0; rest--) {
        bytes[written++] = 0x80 | ((point >> (6 * rest)) & 0x3f);
      }
    }
    read += length === 4 ? 2 : 1;
  }
  return { read, written };
}

/** UTF-8 only, as in https://encoding.spec.whatwg.org/#interface-textencoder */
export class TextEncoder {
  get encoding(): string {
    return 'utf-8';
  }

  encode(input: unknown = ''): Uint8Array {
    const text = StringConstructor(input);
    const bytes = new Uint8ArrayConstructor(text.length * 3);
    const { written } = encodeInto(text, bytes);
    const exact = new Uint8ArrayConstructor(written);
    for (let index = 0; index < written; index++) exact[index] = bytes[index] as number;
    return exact;
  }

  encodeInto(input: unknown, destination: unknown): { read: number; written: number } {
    if (TypedArrayName(destination) !== 'Uint8Array') {
      throw new TypeErrorConstructor('encodeInto needs a Uint8Array.');
    }
    return encodeInto(StringConstructor(input), destination as Uint8Array);
  }
}

/** The bytes of an ArrayBuffer or of a view of one. */
function bytesOf(input: unknown): Uint8Array {
  if (TypedArrayName(input) !== undefined) {
    return new Uint8ArrayConstructor(
      TypedArrayBuffer(input) as ArrayBuffer,
      TypedArrayByteOffset(input) as number,
      TypedArrayByteLength(input) as number,
    );
  }
  try {
    ArrayBufferByteLength(input);
    return new Uint8ArrayConstructor(input as ArrayBuffer);
  } catch {
    // Not an ArrayBuffer: the getter throws if the internal slot is missing.
  }
  try {
    return new Uint8ArrayConstructor(
      DataViewBuffer(input) as ArrayBuffer,
      DataViewByteOffset(input) as number,
      DataViewByteLength(input) as number,
    );
  } catch {
    throw new TypeErrorConstructor('decode needs an ArrayBuffer or a view on one.');
  }
}

/** UTF-8 only, as in https://encoding.spec.whatwg.org/#utf-8-decoder */
export class TextDecoder {
  readonly #fatal: boolean;
  readonly #ignoreBom: boolean;
  #point = 0;
  #needed = 0;
  #seen = 0;
  #lower = 0x80;
  #upper = 0xbf;
  #started = false;

  constructor(label: unknown = 'utf-8', options?: { fatal?: unknown; ignoreBOM?: unknown }) {
    const name = StringConstructor(label);
    if (name !== 'utf-8' && name !== 'utf8' && name !== 'UTF-8') {
      throw new RangeErrorConstructor('Only utf-8 can be decoded here.');
    }
    this.#fatal = Boolean(options?.fatal);
    this.#ignoreBom = Boolean(options?.ignoreBOM);
  }

  get encoding(): string {
    return 'utf-8';
  }

  get fatal(): boolean {
    return this.#fatal;
  }

  get ignoreBOM(): boolean {
    return this.#ignoreBom;
  }

  decode(input?: unknown, options?: { stream?: unknown }): string {
    const bytes = input === undefined ? new Uint8ArrayConstructor(0) : bytesOf(input);
    const length = TypedArrayLength(bytes) as number;
    let out = '';
    for (let index = 0; index < length;) {
      const byte = bytes[index] as number;
      if (this.#needed > 0 && (byte < this.#lower || byte > this.#upper)) {
        // The byte that ends a malformed sequence is decoded again as the start of the next one.
        out += this.#malformed();
        continue;
      }
      index++;
      out += this.#needed > 0 ? this.#continue(byte) : this.#start(byte);
    }
    if (!options?.stream) {
      if (this.#needed > 0) out += this.#malformed();
      this.#started = false;
    }
    return out;
  }

  #start(byte: number): string {
    if (byte < 0x80) return this.#emit(byte);
    if (byte < 0xc2 || byte > 0xf4) return this.#malformed();
    this.#needed = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    this.#point = byte & (0x3f >> this.#needed);
    if (byte === 0xe0) this.#lower = 0xa0;
    if (byte === 0xed) this.#upper = 0x9f;
    if (byte === 0xf0) this.#lower = 0x90;
    if (byte === 0xf4) this.#upper = 0x8f;
    return '';
  }

  #continue(byte: number): string {
    this.#lower = 0x80;
    this.#upper = 0xbf;
    this.#point = (this.#point << 6) | (byte & 0x3f);
    if (++this.#seen < this.#needed) return '';
    const point = this.#point;
    this.#forget();
    return this.#emit(point);
  }

  #malformed(): string {
    this.#forget();
    if (this.#fatal) {
      this.#started = false;
      throw new TypeErrorConstructor('The bytes are not valid UTF-8.');
    }
    return this.#emit(REPLACEMENT);
  }

  #forget(): void {
    this.#needed = 0;
    this.#seen = 0;
    this.#point = 0;
    this.#lower = 0x80;
    this.#upper = 0xbf;
  }

  #emit(point: number): string {
    const isFirst = !this.#started;
    this.#started = true;
    if (isFirst && point === 0xfeff && !this.#ignoreBom) return '';
    if (point < 0x10000) return StringFromCharCode(point);
    const rest = point - 0x10000;
    return StringFromCharCode(0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
  }
}
