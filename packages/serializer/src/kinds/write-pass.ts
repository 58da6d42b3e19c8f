import type { PathFrame, StepKind } from '../path.ts';
import type { SerializationError } from '../serialization-error.ts';
import type { Settings } from '../settings.ts';

/** The functions of the writer that a writer for one kind uses. */
export interface WritePass {
  readonly settings: Settings;

  /** The JSON text of any value. */
  write(value: unknown, frame: PathFrame | undefined): string;
  writeString(value: string, frame: PathFrame | undefined): string;
  /** The elements of an array in brackets; holes are written as counts. */
  writeElements(value: readonly unknown[], frame: PathFrame): string;
  /** An object as pairs, the form that Python uses for a dict that cannot be a JSON object. */
  writePairs(value: object, names: string[], hint: string, frame: PathFrame): string;

  /** Enters a container. */
  open(container: object, parent: PathFrame | undefined, kind: StepKind): PathFrame;
  /** Enters a value that the reader creates after its content, so no cycle may refer to it. */
  openClosed(container: object, parent: PathFrame | undefined, step: string): PathFrame;
  /** Leaves a container. */
  close(frame: PathFrame): void;

  /** The keys of a plain object, which must be all its own properties. */
  namesOf(value: object, frame: PathFrame): string[];
  /** Refuses own properties of an object whose value is in internal slots. */
  requireNoOwnKeys(value: object, parent: PathFrame | undefined): void;
  /** The same for an object that always has this number of own keys. */
  requireOwnKeys(value: object, count: number, parent: PathFrame | undefined): void;
  requireNoSymbols(value: object, parent: PathFrame | undefined): void;

  /** Adds to the work of creating RegExps, in units of `maxRegExpWork`. */
  countRegExp(work: number, frame: PathFrame | undefined): void;
  /** Stops before the text exceeds the limit; the exact bytes are counted at the end. */
  countCharacters(count: number, frame: PathFrame | undefined): void;
  /** The error for an unsupported value; the caller throws it. */
  unsupported(what: string, value: unknown, frame: PathFrame | undefined): SerializationError;
}
