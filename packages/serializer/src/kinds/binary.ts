import type { PathFrame } from '../path.ts';
import { BufferConstructor } from '../platform.ts';
import { floor, getPrototypeOf, isInteger, toBigInt } from '../primordials.ts';
import { NdArray } from '../special-values.ts';
import { tagText } from '../tags.ts';
import {
  binaryFromText,
  bufferObstacle,
  isFormerBuffer,
  kindByName,
  kindByPrototype,
  stretchOfArrayBuffer,
  stretchOfDataView,
  stretchOfTypedArray,
  textOfStretch,
  typedArrayLength,
  typedArrayPrototypes,
} from './binary-memory.ts';
import type { Stretch, TypedArray, TypedArrayKind } from './binary-memory.ts';
import type { Kind, KindReader, KindWriter } from './kind.ts';
import type { ReadPass } from './read-pass.ts';
import type { WritePass } from './write-pass.ts';

function writeBytes(
  writer: WritePass,
  value: object,
  stretch: Stretch,
  hint: string,
  parent: PathFrame | undefined,
): string {
  const text = base64Text(writer, value, stretch, hint === 'ArrayBuffer', parent);
  const end = hint === 'Uint8Array' ? '"}' : '","js":"' + hint + '"}';
  return '{"__type__":"bytes","data":"' + text + end;
}

function base64Text(
  writer: WritePass,
  value: object,
  stretch: Stretch,
  isWhole: boolean,
  parent: PathFrame | undefined,
): string {
  const obstacle = bufferObstacle(stretch.buffer, isWhole);
  if (obstacle !== undefined) throw writer.unsupported(obstacle, value, parent);
  // Checked before the text is created: it may be too large for a string.
  writer.countCharacters(floor((stretch.byteLength + 2) / 3) * 4, parent);
  return textOfStretch(stretch);
}

/** The base64 text of a Uint8Array, without a tag. */
export function base64Of(writer: WritePass, value: object, parent: PathFrame | undefined): string {
  const stretch = stretchOfTypedArray(value, 'Uint8Array');
  if (stretch === undefined) throw writer.unsupported('what is no Uint8Array', value, parent);
  return base64Text(writer, value, stretch, false, parent);
}

const writeTypedArray: KindWriter = (writer, value, parent) => {
  const kind = kindOf(value);
  const stretch = stretchOfTypedArray(value, kind.name);
  if (stretch === undefined) {
    throw writer.unsupported('what only looks like a typed array', value, parent);
  }
  writer.requireNoSymbols(value, parent);
  return writer.settings.isPython && kind.name !== 'Uint8Array'
    ? writeNdArray(writer, value as TypedArray, kind, parent) // Its kind was just determined.
    : writeBytes(writer, value, stretch, isFormerBuffer(value) ? 'Buffer' : kind.name, parent);
};

function kindOf(value: object): TypedArrayKind {
  // The registry calls this only for prototypes in the table.
  return kindByPrototype(getPrototypeOf(value) as object) as TypedArrayKind;
}

/** Writes the elements one by one, which is the format that numpy reads. */
function writeNdArray(
  writer: WritePass,
  value: TypedArray,
  kind: TypedArrayKind,
  parent: PathFrame | undefined,
): string {
  const length = typedArrayLength(value);
  const frame = writer.open(value, parent, 'index');
  let text = '';
  for (let at = 0; at < length; at++) {
    frame.key = at;
    text += (at === 0 ? '' : ',') + writer.write(value[at], frame);
  }
  writer.close(frame);
  return tagText(
    'ndarray',
    ',"data":[' + text + '],"dtype":"' + kind.dtype + '","js":"' + kind.name + '"',
  );
}

const writeBuffer: KindWriter = (writer, value, parent) => {
  const stretch = stretchOfTypedArray(value, 'Uint8Array');
  if (stretch === undefined) {
    throw writer.unsupported('what only looks like a Buffer', value, parent);
  }
  writer.requireNoSymbols(value, parent);
  return writeBytes(writer, value, stretch, 'Buffer', parent);
};

const writeArrayBuffer: KindWriter = (writer, value, parent) => {
  const stretch = stretchOfArrayBuffer(value);
  writer.requireNoOwnKeys(value, parent);
  return writeBytes(writer, value, stretch, 'ArrayBuffer', parent);
};

const writeDataView: KindWriter = (writer, value, parent) => {
  const stretch = stretchOfDataView(value);
  writer.requireNoOwnKeys(value, parent);
  return writeBytes(writer, value, stretch, 'DataView', parent);
};

const readBytes: KindReader = (reader, node, parent) => {
  reader.requireFields(node, ['data'], ['js'], parent);
  const hint = reader.optional(node, 'js') ?? 'Uint8Array';
  const made =
    typeof hint === 'string' ? binaryFromText(reader.blob(node['data'], parent), hint) : undefined;
  if (made === undefined)
    throw reader.malformed('Bytes that are no ' + describe(hint), hint, parent);
  return made;
};

function describe(hint: unknown): string {
  return typeof hint === 'string' ? 'canonical base64 of a ' + hint : 'known kind';
}

const readNdArray: KindReader = (reader, node, parent) => {
  reader.requireFields(node, ['data', 'dtype'], ['js'], parent);
  const { data, dtype } = node;
  if (typeof dtype !== 'string') throw reader.malformed('No name of a type', dtype, parent);
  const hint = reader.optional(node, 'js');
  if (hint === undefined) {
    return new NdArray(reader.read(data, reader.openPending(parent, 'data')), dtype);
  }
  const kind = typeof hint === 'string' ? kindByName(hint) : undefined;
  if (kind === undefined || kind.dtype !== dtype) {
    throw reader.malformed('Not the kind of this type', hint, parent);
  }
  return readElements(reader, reader.list(data, parent), kind, parent);
};

function readElements(
  reader: ReadPass,
  items: unknown[],
  kind: TypedArrayKind,
  parent: PathFrame | undefined,
): object {
  const made = new kind.construct(items.length);
  const isBig = kind.dtype === 'int64' || kind.dtype === 'uint64';
  const frame = reader.open(made, parent, 'index');
  for (let at = 0; at < items.length; at++) {
    frame.key = at;
    const item = reader.read(items[at], frame);
    const isExact = isBig ? isInteger(item) || typeof item === 'bigint' : typeof item === 'number';
    if (!isExact) throw reader.malformed('Not an element', item, frame);
    // Arrays of big integers need BigInt elements, all others need numbers.
    const element = isBig ? toBigInt(item as number) : item;
    (made as Record<number, unknown>)[at] = element;
    // NaN, which float arrays can hold, is not equal to itself.
    if (made[at] !== element && element === element) {
      throw reader.malformed('Out of range', item, frame);
    }
  }
  return made;
}

export const typedArrays: Kind = {
  get prototypes() {
    return typedArrayPrototypes();
  },
  write: writeTypedArray,
  readers: { bytes: readBytes, ndarray: readNdArray },
};
export const buffers: Kind = {
  prototypes: BufferConstructor === undefined ? [] : [BufferConstructor.prototype],
  write: writeBuffer,
  readers: {},
};
export const arrayBuffers: Kind = {
  prototypes: [ArrayBuffer.prototype],
  write: writeArrayBuffer,
  readers: {},
};
export const dataViews: Kind = {
  prototypes: [DataView.prototype],
  write: writeDataView,
  readers: {},
};
