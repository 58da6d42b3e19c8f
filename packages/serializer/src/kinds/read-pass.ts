import type { PathFrame, StepKind } from '../path.ts';
import type { SerializationError } from '../serialization-error.ts';
import type { Settings } from '../settings.ts';

/** A tagged object from `JSON.parse`. */
export type WireNode = Readonly<Record<string, unknown>>;

/** The functions of the reader that a reader for one tag uses. */
export interface ReadPass {
  readonly settings: Settings;

  /** The value that a part of the parsed JSON represents. */
  read(value: unknown, frame: PathFrame | undefined): unknown;

  /** Enters a container, before its content is read. */
  open(container: object, parent: PathFrame | undefined, kind: StepKind): PathFrame;
  /** Enters a value that is created after its content is read, so no cycle can refer to it. */
  openPending(parent: PathFrame | undefined, step: string): PathFrame;

  /** Adds to the work of creating RegExps, in units of `maxRegExpWork`. */
  countRegExp(work: number, frame: PathFrame | undefined): void;

  /** Refuses a node with missing or additional fields. */
  requireFields(
    node: WireNode,
    required: readonly string[],
    optional: readonly string[],
    frame: PathFrame | undefined,
  ): void;
  /** An optional field. */
  optional(node: WireNode, name: string): unknown;
  /** The text in `data`, which must be the only field. */
  onlyText(node: WireNode, frame: PathFrame | undefined): string;
  text(value: unknown, frame: PathFrame | undefined): string;
  /** A text that may have been cut out of the JSON. */
  blob(value: unknown, frame: PathFrame | undefined): string;
  list(value: unknown, frame: PathFrame | undefined): unknown[];
  pair(value: unknown, frame: PathFrame | undefined): unknown[];
  /** Creates a value of a class whose constructor throws for invalid text. */
  construct<Value extends object>(
    valueClass: new (text: string) => Value,
    text: string,
    frame: PathFrame | undefined,
  ): Value;

  /** The error for an invalid part of the text; the caller throws it. */
  malformed(
    reason: string,
    value: unknown,
    frame: PathFrame | undefined,
    cause?: unknown,
  ): SerializationError;
}
