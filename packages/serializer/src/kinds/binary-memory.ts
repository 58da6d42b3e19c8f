import { decodeBase64, encodeBase64 } from '../base64.ts';
import { BufferConstructor } from '../platform.ts';
import {
  DataViewConstructor,
  defineData,
  uncurryGetter,
  weakSetAdd,
  weakSetHas,
} from '../primordials.ts';

/** Kinds of binary values, recognised by internal slots, and their bytes. */

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
  readonly prototype: object;
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): TypedArray;
  new (buffer: ArrayBuffer, byteOffset: number, length: number): TypedArray;
}

export interface TypedArrayKind {
  readonly name: string;
  /** The element type in numpy. */
  readonly dtype: string;
  readonly construct: TypedArrayConstructor;
}

// Captured before guest code runs. Later, only `prototype` is read, which cannot be changed.
const TypedArrays = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  // Missing in TypeScript's library.
  Float16Array: (globalThis as unknown as { Float16Array: TypedArrayConstructor }).Float16Array,
};

let madeKinds: readonly TypedArrayKind[] | undefined;

/** Short enough for a linear search. Created on first use: most texts contain no typed array. */
function kinds(): readonly TypedArrayKind[] {
  madeKinds ??= [
    { name: 'Int8Array', dtype: 'int8', construct: TypedArrays.Int8Array },
    { name: 'Uint8Array', dtype: 'uint8', construct: TypedArrays.Uint8Array },
    { name: 'Uint8ClampedArray', dtype: 'uint8', construct: TypedArrays.Uint8ClampedArray },
    { name: 'Int16Array', dtype: 'int16', construct: TypedArrays.Int16Array },
    { name: 'Uint16Array', dtype: 'uint16', construct: TypedArrays.Uint16Array },
    { name: 'Int32Array', dtype: 'int32', construct: TypedArrays.Int32Array },
    { name: 'Uint32Array', dtype: 'uint32', construct: TypedArrays.Uint32Array },
    { name: 'Float32Array', dtype: 'float32', construct: TypedArrays.Float32Array },
    { name: 'Float64Array', dtype: 'float64', construct: TypedArrays.Float64Array },
    { name: 'BigInt64Array', dtype: 'int64', construct: TypedArrays.BigInt64Array },
    { name: 'BigUint64Array', dtype: 'uint64', construct: TypedArrays.BigUint64Array },
    { name: 'Float16Array', dtype: 'float16', construct: TypedArrays.Float16Array },
  ];
  return madeKinds;
}

export function typedArrayPrototypes(): readonly object[] {
  const prototypes: object[] = [];
  const all = kinds();
  for (let at = 0; at < all.length; at++) {
    defineData(prototypes, at, (all[at] as TypedArrayKind).construct.prototype); // In bounds.
  }
  return prototypes;
}

export function kindByPrototype(prototype: object): TypedArrayKind | undefined {
  return find((kind) => kind.construct.prototype === prototype);
}

export function kindByName(name: string): TypedArrayKind | undefined {
  return find((kind) => kind.name === name);
}

function find(isWanted: (kind: TypedArrayKind) => boolean): TypedArrayKind | undefined {
  const all = kinds();
  for (let at = 0; at < all.length; at++) {
    const kind = all[at] as TypedArrayKind; // The index is in bounds.
    if (isWanted(kind)) return kind;
  }
  return undefined;
}

/** A range of memory: exactly the part that a view shows, not the rest of its buffer. */
export interface Stretch {
  readonly buffer: ArrayBuffer;
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** The memory of a typed array of this kind; `undefined` for any other value. */
export function stretchOfTypedArray(value: object, kind: string): Stretch | undefined {
  if (typedArrayKind(value) !== kind) return undefined;
  return {
    buffer: typedArrayBuffer(value),
    byteOffset: typedArrayByteOffset(value),
    byteLength: typedArrayByteLength(value),
  };
}

/** The memory of a DataView. Throws for any other value, and if its buffer is detached. */
export function stretchOfDataView(value: object): Stretch {
  return {
    buffer: dataViewBuffer(value),
    byteOffset: dataViewByteOffset(value),
    byteLength: dataViewByteLength(value),
  };
}

/** The memory of an ArrayBuffer. Throws for any other value. */
export function stretchOfArrayBuffer(value: object): Stretch {
  // The getter throws for any other value.
  return { byteLength: arrayBufferByteLength(value), byteOffset: 0, buffer: value as ArrayBuffer };
}

/** Why the bytes of a buffer cannot be serialized; `undefined` if they can. */
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

/** Arrays that arrived as Buffers where there is no Buffer; they are written as Buffers again. */
const formerBuffers = new WeakSet<object>();

export function isFormerBuffer(value: object): boolean {
  return weakSetHas(formerBuffers, value);
}

/** Creates the binary value that a hint names; `undefined` if the bytes do not fit the hint. */
export function binaryFromText(text: string, hint: string): object | undefined {
  const bytes = decodeBase64(text);
  if (bytes === undefined || hint === 'Uint8Array') return bytes;
  // The decoded bytes fill their buffer completely.
  const buffer = typedArrayBuffer(bytes);
  const byteLength = typedArrayByteLength(bytes);
  if (hint === 'ArrayBuffer') return buffer;
  if (hint === 'DataView') return new DataViewConstructor(buffer);
  if (hint === 'Buffer') {
    if (BufferConstructor !== undefined) return BufferConstructor.from(buffer, 0, byteLength);
    weakSetAdd(formerBuffers, bytes);
    return bytes;
  }
  const kind = kindByName(hint);
  if (kind === undefined) return undefined;
  const { BYTES_PER_ELEMENT: size } = kind.construct; // This cannot be changed either.
  return byteLength % size === 0 ? new kind.construct(buffer, 0, byteLength / size) : undefined;
}
