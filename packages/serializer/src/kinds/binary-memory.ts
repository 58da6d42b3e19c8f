import { decodeBase64, encodeBase64 } from '../base64.ts';
import { BufferConstructor } from '../platform.ts';
import { DataViewConstructor, mapGet, uncurryGetter } from '../primordials.ts';

/** Kinds of binary values, told by internal slots, and their bytes. */

const TypedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype) as object;
const typedArrayKind = uncurryGetter<string | undefined>(TypedArrayPrototype, Symbol.toStringTag);
const typedArrayBuffer = uncurryGetter<ArrayBuffer>(TypedArrayPrototype, 'buffer');
const typedArrayByteOffset = uncurryGetter<number>(TypedArrayPrototype, 'byteOffset');
const typedArrayByteLength = uncurryGetter<number>(TypedArrayPrototype, 'byteLength');
export const typedArrayLength = uncurryGetter<number>(TypedArrayPrototype, 'length');
const dataViewBuffer = uncurryGetter<ArrayBuffer>(DataView.prototype, 'buffer');
const dataViewByteOffset = uncurryGetter<number>(DataView.prototype, 'byteOffset');
const dataViewByteLength = uncurryGetter<number>(DataView.prototype, 'byteLength');
const arrayBufferByteLength = uncurryGetter<number>(ArrayBuffer.prototype, 'byteLength');
const isDetached = uncurryGetter<boolean>(ArrayBuffer.prototype, 'detached');
const isResizable = uncurryGetter<boolean>(ArrayBuffer.prototype, 'resizable');

export type TypedArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

interface TypedArrayConstructor {
  readonly name: string;
  readonly prototype: object;
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): TypedArray;
  new (buffer: ArrayBuffer, byteOffset: number, length: number): TypedArray;
}

export interface TypedArrayKind {
  readonly name: string;
  /** numpy's name of the element type. */
  readonly dtype: string;
  readonly bytesPerElement: number;
  readonly construct: TypedArrayConstructor;
}

const kindsByPrototype = new Map<object, TypedArrayKind>();
const kindsByName = new Map<string, TypedArrayKind>();

function addKind(construct: TypedArrayConstructor, dtype: string): void {
  const { name, prototype, BYTES_PER_ELEMENT: bytesPerElement } = construct;
  const kind = { name, dtype, bytesPerElement, construct };
  kindsByPrototype.set(prototype, kind);
  kindsByName.set(name, kind);
}
addKind(Int8Array, 'int8');
addKind(Uint8Array, 'uint8');
addKind(Uint8ClampedArray, 'uint8');
addKind(Int16Array, 'int16');
addKind(Uint16Array, 'uint16');
addKind(Int32Array, 'int32');
addKind(Uint32Array, 'uint32');
addKind(Float32Array, 'float32');
addKind(Float64Array, 'float64');
addKind(BigInt64Array, 'int64');
addKind(BigUint64Array, 'uint64');
// The library of types does not have it yet.
addKind((globalThis as unknown as { Float16Array: TypedArrayConstructor }).Float16Array, 'float16');

export const typedArrayPrototypes: readonly object[] = [...kindsByPrototype.keys()];
export const kindByPrototype = (prototype: object): TypedArrayKind | undefined =>
  mapGet(kindsByPrototype, prototype) as TypedArrayKind | undefined;
export const kindByName = (name: string): TypedArrayKind | undefined =>
  mapGet(kindsByName, name) as TypedArrayKind | undefined;

/** A stretch of memory: exactly what a view shows, never the rest of its buffer. */
export interface Stretch {
  readonly buffer: ArrayBuffer;
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** The memory of a typed array of this kind; `undefined` where the value is none. */
export function stretchOfTypedArray(value: object, kind: string): Stretch | undefined {
  if (typedArrayKind(value) !== kind) return undefined;
  return {
    buffer: typedArrayBuffer(value),
    byteOffset: typedArrayByteOffset(value),
    byteLength: typedArrayByteLength(value),
  };
}

/** The memory of a DataView. Throws where the value is none, or shows nothing any more. */
export function stretchOfDataView(value: object): Stretch {
  return {
    buffer: dataViewBuffer(value),
    byteOffset: dataViewByteOffset(value),
    byteLength: dataViewByteLength(value),
  };
}

/** The memory of an ArrayBuffer. Throws where the value is none. */
export function stretchOfArrayBuffer(value: object): Stretch {
  // The getter has just told that it is one.
  return { byteLength: arrayBufferByteLength(value), byteOffset: 0, buffer: value as ArrayBuffer };
}

/** Why the bytes of a buffer cannot be carried; `undefined` where they can. */
export function bufferObstacle(buffer: ArrayBuffer, isWhole: boolean): string | undefined {
  try {
    if (isDetached(buffer)) return 'a detached ArrayBuffer';
    return isWhole && isResizable(buffer) ? 'a resizable ArrayBuffer' : undefined;
  } catch {
    return 'a SharedArrayBuffer';
  }
}

export function textOfStretch({ buffer, byteOffset, byteLength }: Stretch): string {
  return encodeBase64(buffer, byteOffset, byteLength);
}

/** What a hint of the wire names; `undefined` where the bytes do not fit it. */
export function binaryFromText(text: string, hint: string): object | undefined {
  const bytes = decodeBase64(text);
  if (bytes === undefined || hint === 'Uint8Array') return bytes;
  // The decoder gives memory of its own, from its start to its end.
  const buffer = typedArrayBuffer(bytes);
  const byteLength = typedArrayByteLength(bytes);
  if (hint === 'ArrayBuffer') return buffer;
  if (hint === 'DataView') return new DataViewConstructor(buffer);
  // Where there is no Buffer, its bytes are what remains of one.
  if (hint === 'Buffer') return BufferConstructor?.from(buffer, 0, byteLength) ?? bytes;
  const kind = kindByName(hint);
  if (kind === undefined || byteLength % kind.bytesPerElement !== 0) return undefined;
  return new kind.construct(buffer, 0, byteLength / kind.bytesPerElement);
}
