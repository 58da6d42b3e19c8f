import { defineData, MapConstructor, mapGet, mapSet, stringifyJson } from './primordials.ts';

/** The keys of a record and the text before each value. */
export interface RecordShape {
  readonly names: readonly string[];
  /** `{"id":` for the first key, `,"name":` for the other keys. */
  readonly texts: readonly string[];
  /** Total length of the names. */
  readonly characters: number;
}

/** A cache of shapes: records repeat their keys, and quoting a key costs more than a look-up. */
export class RecordShapes {
  /** The latest shape for each first key. */
  readonly #byFirst = new MapConstructor<string, RecordShape>();

  /** The shape for these keys; there must be at least one. */
  of(names: readonly string[]): RecordShape {
    const first = names[0] as string; // There is at least one.
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
    const name = names[at] as string; // The index is in bounds.
    defineData(texts, at, (at === 0 ? '{' : ',') + stringifyJson(name) + ':');
    characters += name.length;
  }
  return { names, texts, characters };
}
