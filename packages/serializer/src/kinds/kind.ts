import type { PathFrame } from '../path.ts';
import type { ReadPass, WireNode } from './read-pass.ts';
import type { WritePass } from './write-pass.ts';

/** Writes an object of one kind. Throws for an object that only has the prototype of that kind. */
export type KindWriter<Value extends object = object> = (
  writer: WritePass,
  value: Value,
  parent: PathFrame | undefined,
) => string;

/** Creates the object for one tag. */
export type KindReader = (
  reader: ReadPass,
  node: WireNode,
  parent: PathFrame | undefined,
) => object;

/** A kind of objects: the entries for the tables of the registry. */
export interface Kind {
  /** Prototypes of the objects that `write` handles. */
  readonly prototypes: readonly object[];
  /** Absent if there are no such objects here; texts of them may still be read. */
  readonly write?: KindWriter;
  readonly readers: Readonly<Record<string, KindReader>>;
}
