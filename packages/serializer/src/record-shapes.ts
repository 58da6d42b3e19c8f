import { defineData, MapConstructor, mapGet, mapSet, stringifyJson } from './primordials.ts';

/** The keys of a record and what is written before each of its values. */
export interface RecordShape {
  readonly names: readonly string[];
  /** `{"id":` for the first key, `,"name":` for each of the others. */
  readonly texts: readonly string[];
  /** Length of all names. */
  readonly characters: number;
}

/** The shapes written lately: records repeat their keys, and quoting one costs more than finding it. */
export class RecordShapes {
  /** By the first key; of several shapes that begin alike, the last one. */
  readonly #byFirst = new MapConstructor<string, RecordShape>();

  /** The shape of an object with these keys, of which there is one at least. */
  of(names: readonly string[]): RecordShape {
    const first = names[0] as string; // The caller has looked.
    const known = mapGet(this.#byFirst, first) as RecordShape | undefined;
    if (known !== undefined && areSame(known.names, names)) return known;
    const made = shapeOf(names);
    mapSet(this.#byFirst, first, made);
    return made;
  }
}

function areSame(known: readonly string[], names: readonly string[]): boolean {
  if (known.length !== names.length) return false;
  for (let at = 0; at < names.length; at++) if (known[at] !== names[at]) return false;
  return true;
}

function shapeOf(names: readonly string[]): RecordShape {
  const texts: string[] = [];
  let characters = 0;
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as string; // Below the length.
    defineData(texts, at, (at === 0 ? '{' : ',') + stringifyJson(name) + ':');
    characters += name.length;
  }
  return { names, texts, characters };
}
