import type { Frame, StepKind } from '../path.ts';
import type { SerializationError } from '../serialization-error.ts';
import type { Settings } from '../settings.ts';

/** A tagged object as `JSON.parse` gives it. */
export type WireNode = Readonly<Record<string, unknown>>;

/** What the reader of one tag needs of the pass over the whole text. */
export interface ReadPass {
  readonly settings: Settings;

  /** What a part of the parsed JSON stands for. */
  read(value: unknown, frame: Frame | undefined): unknown;

  /** Enters a container, before anything within it is read. */
  open(container: object, parent: Frame | undefined, kind: StepKind): Frame;
  /** Enters what exists only once its content is read, so that nothing leads back to it. */
  openPending(parent: Frame | undefined, step: string): Frame;

  /** Counts the work of making a RegExp, in units of `maxRegExpWork`. */
  countRegExp(work: number, frame: Frame | undefined): void;

  /** Refuses a node with a field too few or too many. */
  requireFields(
    node: WireNode,
    required: readonly string[],
    optional: readonly string[],
    frame: Frame | undefined,
  ): void;
  /** A field that may be absent. */
  optional(node: WireNode, name: string): unknown;
  /** The text in `data`, which is all there is. */
  onlyText(node: WireNode, frame: Frame | undefined): string;
  text(value: unknown, frame: Frame | undefined): string;
  /** A text that may have been kept out of the JSON. */
  blob(value: unknown, frame: Frame | undefined): string;
  list(value: unknown, frame: Frame | undefined): unknown[];
  pair(value: unknown, frame: Frame | undefined): unknown[];
  /** Makes a value of a class whose constructor tells what it refuses. */
  construct<Value extends object>(
    valueClass: new (text: string) => Value,
    text: string,
    frame: Frame | undefined,
  ): Value;

  /** The error that refuses a part of the text, for the caller to throw. */
  malformed(
    reason: string,
    value: unknown,
    frame: Frame | undefined,
    cause?: unknown,
  ): SerializationError;
}
