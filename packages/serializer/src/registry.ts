import { arrayBuffers, buffers, dataViews, typedArrays } from './kinds/binary.ts';
import { boxedPrimitives } from './kinds/boxed.ts';
import { frozenSets, maps, sets, tuples } from './kinds/collections.ts';
import { dates } from './kinds/dates.ts';
import { readError, writeError } from './kinds/errors.ts';
import { writeCustom } from './kinds/custom.ts';
import type { KindReader, KindWriter } from './kinds/kind.ts';
import { pythonValues } from './kinds/python.ts';
import { regExps } from './kinds/regexps.ts';
import { urls } from './kinds/urls.ts';
import type { Frame } from './path.ts';
import { isError, mapGet, mapHas, setHas } from './primordials.ts';
import type { Writer } from './writer.ts';

/** A Map, as a plain object would inherit entries such as `constructor`. */
const writers = new Map<object, KindWriter>();
const readers = new Map<string, KindReader>([['error', readError]]);
for (const kind of [
  dates,
  tuples,
  sets,
  frozenSets,
  maps,
  typedArrays,
  buffers,
  arrayBuffers,
  dataViews,
  regExps,
  urls,
  ...boxedPrimitives,
  ...pythonValues,
]) {
  // A kind that has prototypes writes them.
  for (const prototype of kind.prototypes) writers.set(prototype, kind.write as KindWriter);
  for (const [tag, read] of Object.entries(kind.readers)) readers.set(tag, read);
}

/** Tags that stand for no object of their own; the reader has their meaning. */
const PLAIN_TAGS: ReadonlySet<string> = new Set([
  'undefined',
  'number',
  'bigint',
  'hole',
  'cycle',
  'graph',
  'ref',
]);

export function readerOf(tag: string): KindReader | undefined {
  return mapGet(readers, tag) as KindReader | undefined;
}

export function isBuiltInTag(tag: string): boolean {
  return mapHas(readers, tag) || setHas(PLAIN_TAGS, tag);
}

/** Writes an object that is neither plain nor an array. */
export function writeKind(
  writer: Writer,
  value: object,
  prototype: object | null,
  parent: Frame | undefined,
): string {
  const custom = writer.settings.customTypes.for(value);
  if (custom !== undefined) return writeCustom(writer, value, custom, parent);
  if (prototype === null) return writeNullObject(writer, value, parent);
  const write = mapGet(writers, prototype) as KindWriter | undefined;
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

function writeNullObject(writer: Writer, value: object, parent: Frame | undefined): string {
  const frame = writer.open(value, parent, 'property');
  return writer.writePairs(value, writer.namesOf(value, frame), 'null', frame);
}
