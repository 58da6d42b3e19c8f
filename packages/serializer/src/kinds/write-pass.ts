import type { Frame, StepKind } from '../path.ts';
import type { SerializationError } from '../serialization-error.ts';
import type { Settings } from '../settings.ts';

/** What the writer of one kind needs of the pass over the whole value. */
export interface WritePass {
  readonly settings: Settings;

  /** The text of any value. */
  write(value: unknown, frame: Frame | undefined): string;
  writeString(value: string, frame: Frame | undefined): string;
  /** The elements of an array in brackets, with its holes counted. */
  writeElements(value: readonly unknown[], frame: Frame): string;
  /** An object as pairs, which is how Python writes a dict that it cannot write as an object. */
  writePairs(value: object, names: string[], hint: string, frame: Frame): string;

  /** Enters a container. */
  open(container: object, parent: Frame | undefined, kind: StepKind): Frame;
  /** Enters what is read only once its content is there, so that nothing may lead back to it. */
  openClosed(container: object, parent: Frame | undefined, step: string): Frame;
  /** Leaves a container. */
  close(frame: Frame): void;

  /** The keys of a plain object, which must be all that it has of its own. */
  namesOf(value: object, frame: Frame): string[];
  /** Refuses what somebody has put on an object whose value lies in its slots. */
  requireNoOwnKeys(value: object, parent: Frame | undefined): void;
  /** The same for an object that has so many keys by its nature. */
  requireOwnKeys(value: object, count: number, parent: Frame | undefined): void;
  requireNoSymbols(value: object, parent: Frame | undefined): void;

  /** Counts the work of making a RegExp, in units of `maxRegExpWork`. */
  countRegExp(work: number, frame: Frame | undefined): void;
  /** Stops text from growing past the limit; the bytes of the whole are counted at its end. */
  countCharacters(count: number, frame: Frame | undefined): void;
  /** The error that refuses a value, for the caller to throw. */
  unsupported(what: string, value: unknown, frame: Frame | undefined): SerializationError;
}
