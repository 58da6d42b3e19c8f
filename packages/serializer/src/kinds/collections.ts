import type { PathFrame } from '../path.ts';
import {
  defineData,
  freeze,
  MapConstructor,
  mapForEach,
  mapSet,
  mapSize,
  setAdd,
  SetConstructor,
  setForEach,
  setSize,
} from '../primordials.ts';
import { FrozenSet, isTuple, openTuple, TuplePrototype } from '../special-values.ts';
import { tagText } from '../tags.ts';
import { propertyOf } from './error-objects.ts';
import type { Kind, KindReader, KindWriter } from './kind.ts';
import { PythonKeys } from './python-keys.ts';
import type { ReadPass, WireNode } from './read-pass.ts';
import type { WritePass } from './write-pass.ts';

const writeTuple: KindWriter = (writer, value, parent) => {
  if (!isTuple(value)) throw writer.unsupported('what only looks like a tuple', value, parent);
  const frame = writer.open(value, parent, 'index');
  const text = writer.writeElements(value, frame);
  writer.close(frame);
  return tagText('tuple', ',"data":' + text);
};

function writeMembers(
  writer: WritePass,
  value: object,
  parent: PathFrame | undefined,
  tag: string,
): string {
  const size = setSize(value); // Throws if the value is not a Set.
  writer.requireNoOwnKeys(value, parent);
  const frame = writer.open(value, parent, 'member');
  const pythonKeys = writer.settings.isPython ? new PythonKeys(writer) : undefined;
  let text = '';
  let at = 0;
  setForEach(value, (member) => {
    frame.key = at;
    pythonKeys?.requireHashable(member, frame);
    const memberText = writer.write(member, frame);
    pythonKeys?.requireDistinct(member, memberText, frame);
    text += (at++ === 0 ? '' : ',') + memberText;
  });
  // A getter of a member may have added members meanwhile.
  if (at !== size) throw writer.unsupported('a Set that changes while it is read', value, parent);
  writer.close(frame);
  return tagText(tag, ',"data":[' + text + ']');
}

const writeSet: KindWriter = (writer, value, parent) => writeMembers(writer, value, parent, 'set');

const writeFrozenSet: KindWriter = (writer, value, parent) => {
  if (!FrozenSet.is(value)) throw writer.unsupported('no real FrozenSet', value, parent);
  return writeMembers(writer, value, parent, 'frozenset');
};

const writeMap: KindWriter = (writer, value, parent) => {
  const size = mapSize(value); // Throws if the value is not a Map.
  writer.requireNoOwnKeys(value, parent);
  const frame = writer.open(value, parent, 'entry');
  const pythonKeys = writer.settings.isPython ? new PythonKeys(writer) : undefined;
  let text = '';
  let at = 0;
  mapForEach(value, (entry, key) => {
    frame.kind = 'key';
    frame.key = at;
    pythonKeys?.requireHashable(key, frame);
    const keyText = writer.write(key, frame);
    pythonKeys?.requireDistinct(key, keyText, frame);
    frame.kind = 'entry';
    frame.key = key;
    text += (at++ === 0 ? '[' : ',[') + keyText + ',' + writer.write(entry, frame) + ']';
  });
  // A getter of an entry may have added entries meanwhile.
  if (at !== size) throw writer.unsupported('a Map that changes while it is read', value, parent);
  writer.close(frame);
  return tagText('dict_with_complex_keys', ',"data":[' + text + '],"js":"Map"');
};

const readTuple: KindReader = (reader, node, parent) => {
  const items = onlyList(reader, node, parent);
  const made = openTuple();
  const frame = reader.open(made, parent, 'index');
  for (let at = 0; at < items.length; at++) {
    frame.key = at;
    defineData(made, at, reader.read(items[at], frame));
  }
  return freeze(made);
};

function readMembers(
  reader: ReadPass,
  node: WireNode,
  parent: PathFrame | undefined,
  made: Set<unknown>,
): Set<unknown> {
  const items = onlyList(reader, node, parent);
  const frame = reader.open(made, parent, 'member');
  for (let at = 0; at < items.length; at++) {
    frame.key = at;
    setAdd(made, reader.read(items[at], frame));
  }
  if (setSize(made) !== items.length) throw reader.malformed('A member twice', node, parent);
  return made;
}

/** The list in `data`, the only field. */
export function onlyList(
  reader: ReadPass,
  node: WireNode,
  parent: PathFrame | undefined,
): unknown[] {
  reader.requireFields(node, ['data'], [], parent);
  return reader.list(node['data'], parent);
}

/** Creates the container for pairs: a Map, or an object whose keys JSON cannot hold as they are. */
export function openDict(
  reader: ReadPass,
  node: WireNode,
  parent: PathFrame | undefined,
): { readonly pairs: unknown[]; readonly made: object; readonly isMap: boolean } {
  reader.requireFields(node, ['data'], ['js'], parent);
  const pairs = reader.list(node['data'], parent);
  const hint = reader.optional(node, 'js');
  if (hint === 'object') return { pairs, made: {}, isMap: false };
  if (hint === 'null') return { pairs, made: { __proto__: null }, isMap: false };
  if (hint !== undefined && hint !== 'Map') throw reader.malformed('Unknown hint', hint, parent);
  return { pairs, made: new MapConstructor<unknown, unknown>(), isMap: true };
}

const readDict: KindReader = (reader, node, parent) => {
  const { pairs, made, isMap } = openDict(reader, node, parent);
  if (!isMap) return readObject(reader, pairs, made, parent);
  const frame = reader.open(made, parent, 'key');
  for (let at = 0; at < pairs.length; at++) {
    frame.kind = 'key';
    frame.key = at;
    const pair = reader.pair(pairs[at], frame);
    const key = reader.read(pair[0], frame);
    frame.kind = 'entry';
    frame.key = key;
    mapSet(made, key, reader.read(pair[1], frame));
  }
  if (mapSize(made) !== pairs.length) throw reader.malformed('A key twice', node, parent);
  return made;
};

function readObject(
  reader: ReadPass,
  pairs: unknown[],
  made: object,
  parent: PathFrame | undefined,
): object {
  const frame = reader.open(made, parent, 'property');
  for (let at = 0; at < pairs.length; at++) {
    const pair = propertyOf(reader, pairs[at], made, frame);
    defineData(made, pair[0] as string, reader.read(pair[1], frame)); // `propertyOf` checked the name.
  }
  return made;
}

export const tuples: Kind = {
  prototypes: [TuplePrototype],
  write: writeTuple,
  readers: { tuple: readTuple },
};
export const sets: Kind = {
  prototypes: [Set.prototype],
  write: writeSet,
  readers: {
    set: (reader, node, parent) => readMembers(reader, node, parent, new SetConstructor()),
  },
};
export const frozenSets: Kind = {
  prototypes: [FrozenSet.prototype],
  write: writeFrozenSet,
  readers: {
    frozenset: (reader, node, parent) => readMembers(reader, node, parent, new FrozenSet()),
  },
};
export const maps: Kind = {
  prototypes: [Map.prototype],
  write: writeMap,
  readers: { dict_with_complex_keys: readDict },
};
