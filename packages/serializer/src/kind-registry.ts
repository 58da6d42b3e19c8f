import { arrayBuffers, buffers, dataViews, typedArrays } from './kinds/binary.ts';
import { boxedPrimitives } from './kinds/boxed.ts';
import { frozenSets, maps, sets, tuples } from './kinds/collections.ts';
import { writeCustom } from './kinds/custom.ts';
import { dates } from './kinds/dates.ts';
import { errors, writeError } from './kinds/error-objects.ts';
import type { Kind, KindReader, KindWriter } from './kinds/kind.ts';
import { pythonValues } from './kinds/python.ts';
import { regExps } from './kinds/regexps.ts';
import { urls } from './kinds/urls.ts';
import type { WritePass } from './kinds/write-pass.ts';
import type { PathFrame } from './path.ts';
import { isError, MapConstructor, mapGet, mapSet, ownEnumerableKeys } from './primordials.ts';

const kinds: readonly Kind[] = [
  dates,
  tuples,
  sets,
  frozenSets,
  maps,
  typedArrays,
  buffers,
  arrayBuffers,
  dataViews,
  errors,
  regExps,
  urls,
  ...boxedPrimitives,
];

/** Maps, because plain objects would inherit entries such as `constructor`. */
interface Tables {
  readonly writers: Map<object, KindWriter>;
  readonly readers: Map<string, KindReader>;
}

let madeTables: Tables | undefined;

/** Created on first use: plain data does not need it. Guest code may have run before that. */
function tables(): Tables {
  if (madeTables !== undefined) return madeTables;
  const writers = new MapConstructor<object, KindWriter>();
  const readers = new MapConstructor<string, KindReader>();
  const add = (added: readonly Kind[]): void => {
    for (let at = 0; at < added.length; at++) {
      const kind = added[at] as Kind; // The index is in bounds.
      const { prototypes } = kind;
      for (let each = 0; each < prototypes.length; each++) {
        mapSet(writers, prototypes[each], kind.write); // A kind with prototypes has `write`.
      }
      const tags = ownEnumerableKeys(kind.readers);
      for (let each = 0; each < tags.length; each++) {
        const tag = tags[each] as string; // The index is in bounds.
        mapSet(readers, tag, kind.readers[tag]);
      }
    }
  };
  add(kinds);
  add(pythonValues());
  madeTables = { writers, readers };
  return madeTables;
}

/** Tags without an object of their own; the reader handles them itself. */
const PLAIN_TAGS = ['undefined', 'number', 'bigint', 'hole', 'cycle', 'graph', 'ref'];

export function readerOf(tag: string): KindReader | undefined {
  return mapGet(tables().readers, tag) as KindReader | undefined;
}

export function isBuiltInTag(tag: string): boolean {
  for (let at = 0; at < PLAIN_TAGS.length; at++) if (PLAIN_TAGS[at] === tag) return true;
  return readerOf(tag) !== undefined;
}

/** Writes an object that is neither a plain object nor a plain array. */
export function writeKind(
  writer: WritePass,
  value: object,
  prototype: object | null,
  parent: PathFrame | undefined,
): string {
  const custom = writer.settings.customTypes.for(value);
  if (custom !== undefined) return writeCustom(writer, value, custom, parent);
  if (prototype === null) return writeNullObject(writer, value, parent);
  const write = mapGet(tables().writers, prototype) as KindWriter | undefined;
  if (write !== undefined) return write(writer, value, parent);
  if (isError(value)) return writeError(writer, value, parent);
  throw writer.unsupported(describe(prototype), value, parent);
}

const names = new Map<object, string>([
  [Promise.prototype, 'a Promise'],
  [WeakMap.prototype, 'a WeakMap'],
  [WeakSet.prototype, 'a WeakSet'],
  [WeakRef.prototype, 'a WeakRef'],
  [Symbol.prototype, 'a boxed symbol'],
  [SharedArrayBuffer.prototype, 'a SharedArrayBuffer'],
]);

function describe(prototype: object): string {
  const name = mapGet(names, prototype) as string | undefined;
  return name ?? 'an instance of a class that nobody registered';
}

function writeNullObject(writer: WritePass, value: object, parent: PathFrame | undefined): string {
  const frame = writer.open(value, parent, 'property');
  return writer.writePairs(value, writer.namesOf(value, frame), 'null', frame);
}
