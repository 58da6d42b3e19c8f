import type { Frame } from '../path.ts';
import type { ReadPass, WireNode } from './read-pass.ts';
import type { WritePass } from './write-pass.ts';

/** Writes an object of one kind. An object that only looks like one makes it throw. */
export type KindWriter<Value extends object = object> = (
  writer: WritePass,
  value: Value,
  parent: Frame | undefined,
) => string;

/** Reads the object of one tag. */
export type KindReader = (reader: ReadPass, node: WireNode, parent: Frame | undefined) => object;

/** What a file of this folder adds to the two tables of the registry. */
export interface Kind {
  /** The prototypes of the objects that `write` is for. */
  readonly prototypes: readonly object[];
  /** Absent where there are no such objects, and texts of them may arrive all the same. */
  readonly write?: KindWriter;
  readonly readers: Readonly<Record<string, KindReader>>;
}
