import type { Blobs } from './blobs.ts';
import { readerOf } from './kind-registry.ts';
import { readCustom } from './kinds/custom.ts';
import type { KindReader } from './kinds/kind.ts';
import type { ReadPass, WireNode } from './kinds/read-pass.ts';
import { openFrame, pathOf } from './path.ts';
import type { Frame, StepKind } from './path.ts';
import {
  charCodeAt,
  defineData,
  deleteProperty,
  hasOwn,
  isArray,
  isInteger,
  MapConstructor,
  mapGet,
  mapSet,
  NOT_A_NUMBER,
  ObjectPrototype,
  ownEnumerableKeys,
  stringifyJson,
  toBigInt,
} from './primordials.ts';
import { SerializationError } from './serialization-error.ts';
import { limitError } from './serializer-limits.ts';
import type { Settings } from './settings.ts';
import { isIndex, TAG_KEY } from './tags.ts';

/** Stands for a container that exists only once its content is read. */
const PENDING = {};
const NO_FIELDS: readonly string[] = [];

/**
 * Turns the tagged objects of parsed JSON into what they stand for. Plain arrays and objects are
 * kept and changed in place: their elements and properties exist, so that writing one runs no
 * setter, whatever the prototypes have become.
 */
export class Reader implements ReadPass {
  readonly settings: Settings;
  /** Where the pass is, for the path of an error that a custom type throws. */
  at: Frame | undefined;
  readonly #blobs: Blobs | undefined;
  /** Whether a loop over the keys of an object finds those of its prototype, too. */
  readonly #isPolluted = hasEnumerableKey(ObjectPrototype);
  #nodes = 0;
  #regExpWork = 0;
  /** Each object so far by its number; in a graph alone. */
  #numbered: Map<number, object> | undefined;
  #objects = 0;

  constructor(settings: Settings, blobs: Blobs | undefined) {
    this.settings = settings;
    this.#blobs = blobs;
  }

  readRoot(value: unknown): unknown {
    return this.read(this.rootOf(value), undefined);
  }

  /** What is to be read first: the content of a graph, whose objects are numbered from here on. */
  rootOf(value: unknown): unknown {
    if (typeof value === 'object' && value !== null && !isArray(value)) {
      const node = value as WireNode; // What JSON.parse gives, and neither null nor an array.
      if (hasOwn(node, TAG_KEY) && node[TAG_KEY] === 'graph') {
        this.requireFields(node, ['data'], NO_FIELDS, undefined);
        this.#numbered = new MapConstructor();
        return node['data'];
      }
    }
    return value;
  }

  read(value: unknown, frame: Frame | undefined): unknown {
    this.countNodes(1, frame);
    return typeof value === 'object' && value !== null ? this.#readObject(value, frame) : value;
  }

  #readObject(value: object, frame: Frame | undefined): unknown {
    if (isArray(value)) return this.#readArray(value, frame);
    const node = value as WireNode; // What JSON.parse gives, and no array.
    return hasOwn(node, TAG_KEY)
      ? this.#readTagged(node, node[TAG_KEY], frame)
      : this.#readPlainObject(node, frame);
  }

  #readTagged(node: WireNode, tag: unknown, frame: Frame | undefined): unknown {
    if (typeof tag !== 'string') throw this.malformed('A tag that is no string', tag, frame);
    const read = readerOf(tag);
    if (read !== undefined) {
      if (this.#numbered === undefined) return read(this, node, frame);
      return this.#readNumbered(read, node, frame);
    }
    switch (tag) {
      case 'undefined':
        this.requireFields(node, NO_FIELDS, NO_FIELDS, frame);
        return undefined;
      case 'number':
        return this.#readNumber(node, frame);
      case 'bigint':
        return this.#readBigInt(node, frame);
      case 'cycle':
        return this.#readCycle(node, frame);
      case 'ref':
        return this.#readRef(node, frame);
      case 'hole':
      case 'graph':
        throw this.malformed('The tag ' + tag + ' out of its place', node, frame);
      default:
        return this.#readCustom(tag, node, frame);
    }
  }

  #readCustom(tag: string, node: WireNode, frame: Frame | undefined): unknown {
    const type = this.settings.customTypes.byName(tag);
    if (type === undefined) {
      const details = { path: pathOf(frame), value: node };
      throw new SerializationError('UNKNOWN_TAG', 'Unknown tag ' + stringifyJson(tag), details);
    }
    return this.#readNumbered(
      (_, tagged, parent) => readCustom(this, tagged, type, parent) as object,
      node,
      frame,
    );
  }

  /** Reads an object that has a number, which is taken before those of its content. */
  #readNumbered(read: KindReader, node: WireNode, frame: Frame | undefined): object {
    const number = this.takeNumber();
    const made = read(this, node, frame);
    // A container is known since it was opened; all others are from here on.
    this.keepNumber(number, made);
    return made;
  }

  /** The number of the object that is about to be read; matters in a graph alone. */
  takeNumber(): number {
    return this.#objects++;
  }

  keepNumber(number: number, made: object): void {
    if (this.#numbered !== undefined) mapSet(this.#numbered, number, made);
  }

  #readArray(value: unknown[], parent: Frame | undefined): unknown[] {
    if (this.#numbered !== undefined) this.#objects++;
    const frame = this.open(value, parent, 'index');
    const { length } = value;
    this.countNodes(length, frame);
    for (let at = 0; at < length; at++) {
      const element = value[at];
      if (typeof element !== 'object' || element === null) continue;
      frame.key = at;
      if (isHole(element)) return this.#readSparse(value, at, frame);
      const made = this.#readObject(element, frame);
      if (made !== element) value[at] = made;
    }
    this.at = parent;
    return value;
  }

  /** Goes on with an array from its first hole: the array stays, its elements move. */
  #readSparse(value: unknown[], from: number, frame: Frame): unknown[] {
    const rest = new MapConstructor<number, unknown>();
    for (let at = from; at < value.length; at++) mapSet(rest, at - from, value[at]);
    const count = value.length - from;
    value.length = from;
    let index = from;
    let wasHole = false;
    for (let at = 0; at < count; at++) {
      const element = mapGet(rest, at);
      frame.key = index;
      if (isHole(element)) {
        if (wasHole) throw this.malformed('Two holes in a row', element, frame);
        index += this.holeCount(element, frame);
        wasHole = true;
      } else {
        const isObject = typeof element === 'object' && element !== null;
        defineData(value, index++, isObject ? this.#readObject(element, frame) : element);
        wasHole = false;
      }
    }
    endWithHoles(value, index);
    this.at = frame.parent;
    return value;
  }

  /** How many holes a node stands for that is one. */
  holeCount(node: WireNode, frame: Frame): number {
    this.requireFields(node, ['count'], NO_FIELDS, frame);
    const { count } = node;
    if (!isInteger(count) || count < 1) throw this.malformed('Not a count', count, frame);
    this.countNodes(count - 1, frame); // One was counted as the element that stands for them.
    return count;
  }

  #readPlainObject(node: WireNode, parent: Frame | undefined): object {
    const frame = this.openPlainObject(node, parent);
    let count = 0;
    for (const key in node) {
      if (this.#isPolluted && !hasOwn(node, key)) continue;
      count++;
      const child = node[key];
      if (typeof child !== 'object' || child === null) continue;
      frame.key = key;
      const made = this.#readObject(child, frame);
      // Its own property exists: no setter of a prototype is run.
      if (made !== child) (node as Record<string, unknown>)[key] = made;
    }
    this.countNodes(count, frame);
    this.at = parent;
    return node;
  }

  /** Enters a plain object, which stays and gets what its members stand for. */
  openPlainObject(node: WireNode, parent: Frame | undefined): Frame {
    if (this.#numbered !== undefined) {
      this.#objects++;
      const names = ownEnumerableKeys(node);
      // It would be counted in another order than it was written in.
      if (names.length !== 0 && isIndex(names[0] as string)) {
        throw this.malformed('A key that is an index, in a graph', node, parent);
      }
    }
    return this.open(node, parent, 'property');
  }

  #readNumber(node: WireNode, frame: Frame | undefined): number {
    switch (this.onlyText(node, frame)) {
      case 'NaN':
        return NOT_A_NUMBER;
      case 'Infinity':
        return 1 / 0;
      case '-Infinity':
        return -1 / 0;
      default:
        throw this.malformed('Not one of the numbers that JSON lacks', node, frame);
    }
  }

  #readBigInt(node: WireNode, frame: Frame | undefined): bigint {
    const text = this.onlyText(node, frame);
    const isNegative = charCodeAt(text, 0) === 45;
    const used = isNegative ? text.length - 1 : text.length;
    const allowed = this.settings.limits.maxBigIntDigits;
    if (used > allowed) throw limitError('maxBigIntDigits', allowed, used, frame);
    const first = text.length - used;
    for (let at = first; at < text.length; at++) {
      const code = charCodeAt(text, at);
      if (code < 48 || code > 57) throw this.malformed('Not a canonical integer', text, frame);
    }
    // `0` alone begins with a zero, and has no sign.
    if (used === 0 || (charCodeAt(text, first) === 48 && text !== '0')) {
      throw this.malformed('Not a canonical integer', text, frame);
    }
    return toBigInt(text);
  }

  #readCycle(node: WireNode, frame: Frame | undefined): object {
    this.requireFields(node, ['level'], NO_FIELDS, frame);
    const { level } = node;
    if (this.#numbered === undefined && isInteger(level)) {
      let above = frame;
      while (above !== undefined && above.depth !== level) above = above.parent;
      if (above !== undefined && above.container !== PENDING) return above.container;
    }
    throw this.malformed('A cycle to no container above', level, frame);
  }

  #readRef(node: WireNode, frame: Frame | undefined): unknown {
    this.requireFields(node, ['id'], NO_FIELDS, frame);
    const { id } = node;
    const made =
      this.#numbered !== undefined && isInteger(id) ? mapGet(this.#numbered, id) : undefined;
    if (made === undefined) throw this.malformed('A reference to no earlier object', id, frame);
    return made;
  }

  /** Counts values against the limit. */
  countNodes(count: number, frame: Frame | undefined): void {
    const { maxNodes } = this.settings.limits;
    this.#nodes += count;
    if (this.#nodes > maxNodes) throw limitError('maxNodes', maxNodes, this.#nodes, frame);
  }

  /** Counts the work of making a RegExp against the limit. */
  countRegExp(work: number, frame: Frame | undefined): void {
    const { maxRegExpWork } = this.settings.limits;
    this.#regExpWork += work;
    if (this.#regExpWork > maxRegExpWork) {
      throw limitError('maxRegExpWork', maxRegExpWork, this.#regExpWork, frame);
    }
  }

  /** Enters a container, before anything within it is read. */
  open(container: object, parent: Frame | undefined, kind: StepKind): Frame {
    const { maxDepth } = this.settings.limits;
    const frame = openFrame(parent, container, kind);
    if (frame.depth >= maxDepth) throw limitError('maxDepth', maxDepth, frame.depth + 1, parent);
    // The object whose number was taken last is this one.
    if (this.#numbered !== undefined && container !== PENDING) {
      mapSet(this.#numbered, this.#objects - 1, container);
    }
    this.at = frame;
    return frame;
  }

  /** Enters what exists only once its content is read, so that nothing leads back to it. */
  openPending(parent: Frame | undefined, step: string): Frame {
    const frame = this.open(PENDING, parent, 'property');
    frame.key = step;
    return frame;
  }

  /** Refuses a node with a field too few or too many. */
  requireFields(
    node: WireNode,
    required: readonly string[],
    optional: readonly string[],
    frame: Frame | undefined,
  ): void {
    let known = 1; // The tag.
    for (let at = 0; at < required.length; at++) {
      const name = required[at] as string; // Below the length.
      if (!hasOwn(node, name))
        throw this.malformed('The field ' + name + ' is missing', node, frame);
      known++;
    }
    for (let at = 0; at < optional.length; at++) {
      if (hasOwn(node, optional[at] as string)) known++; // Below the length.
    }
    if (ownEnumerableKeys(node).length !== known) {
      throw this.malformed('A field that does not belong there', node, frame);
    }
  }

  /** A field that may be absent. */
  optional(node: WireNode, name: string): unknown {
    return hasOwn(node, name) ? node[name] : undefined;
  }

  /** The text in `data`, which is all there is. */
  onlyText(node: WireNode, frame: Frame | undefined): string {
    if (!hasOwn(node, 'data') || ownEnumerableKeys(node).length !== 2) {
      throw this.malformed('Not one field data', node, frame);
    }
    return this.text(node['data'], frame);
  }

  text(value: unknown, frame: Frame | undefined): string {
    if (typeof value !== 'string') throw this.malformed('Not a text', value, frame);
    return value;
  }

  /** A text that may have been kept out of the JSON. */
  blob(value: unknown, frame: Frame | undefined): string {
    const text = this.text(value, frame);
    return this.#blobs?.take(text) ?? text;
  }

  list(value: unknown, frame: Frame | undefined): unknown[] {
    if (!isArray(value)) throw this.malformed('Not a list', value, frame);
    return value;
  }

  pair(value: unknown, frame: Frame | undefined): unknown[] {
    const pair = this.list(value, frame);
    if (pair.length !== 2) throw this.malformed('Not a pair', value, frame);
    return pair;
  }

  /** Makes a value of a class whose constructor tells what it refuses. */
  construct<Value extends object>(
    valueClass: new (text: string) => Value,
    text: string,
    frame: Frame | undefined,
  ): Value {
    try {
      return new valueClass(text);
    } catch (cause) {
      throw this.malformed('Not a valid value', text, frame, cause);
    }
  }

  malformed(
    reason: string,
    value: unknown,
    frame: Frame | undefined,
    cause?: unknown,
  ): SerializationError {
    return new SerializationError('MALFORMED', reason, { path: pathOf(frame), value, cause });
  }
}

/** Makes an array so long, with holes behind its last element. */
export function endWithHoles(value: unknown[], length: number): void {
  if (length <= value.length) return;
  // An element far out, and gone again, makes the array sparse; a longer length alone would take
  // memory for all of it.
  defineData(value, length - 1, undefined);
  deleteProperty(value, length - 1);
}

function hasEnumerableKey(value: object): boolean {
  return ownEnumerableKeys(value).length !== 0;
}

/** Whether a part of an array stands for holes. */
export function isHole(element: unknown): element is WireNode {
  if (typeof element !== 'object' || element === null) return false;
  const node = element as WireNode; // Arrays have no such key of their own.
  return hasOwn(element, TAG_KEY) && node[TAG_KEY] === 'hole';
}
