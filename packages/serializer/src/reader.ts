import type { Blobs } from './blobs.ts';
import { endWithHoles, isHole } from './holes.ts';
import { readerOf } from './kind-registry.ts';
import { readCustom } from './kinds/custom.ts';
import type { KindReader } from './kinds/kind.ts';
import type { ReadPass, WireNode } from './kinds/read-pass.ts';
import { openFrame, pathOf } from './path.ts';
import type { PathFrame, StepKind } from './path.ts';
import {
  charCodeAt,
  defineData,
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

/** Placeholder for a container that is created after its content is read. */
const PENDING = {};
const NO_FIELDS: readonly string[] = [];

/**
 * Replaces the tagged objects of parsed JSON by their values. Plain arrays and objects are changed
 * in place: their elements and properties exist already, so writing them runs no setter of a
 * changed prototype.
 */
export class Reader implements ReadPass {
  readonly settings: Settings;
  /** The current position, for the path of an error that a custom type throws. */
  at: PathFrame | undefined;
  readonly #blobs: Blobs | undefined;
  /** Whether a `for…in` loop also finds keys of `Object.prototype`. */
  readonly #isPolluted = hasEnumerableKey(ObjectPrototype);
  #nodes = 0;
  #regExpWork = 0;
  /** The objects read so far, by number; only in a graph. */
  #numbered: Map<number, object> | undefined;
  #objects = 0;

  constructor(settings: Settings, blobs: Blobs | undefined) {
    this.settings = settings;
    this.#blobs = blobs;
  }

  readRoot(value: unknown): unknown {
    return this.read(this.rootOf(value), undefined);
  }

  /** The value to read first. In a graph it is the content, and objects are numbered from now on. */
  rootOf(value: unknown): unknown {
    if (typeof value === 'object' && value !== null && !isArray(value)) {
      const node = value as WireNode; // From `JSON.parse`, and neither null nor an array.
      if (hasOwn(node, TAG_KEY) && node[TAG_KEY] === 'graph') {
        this.requireFields(node, ['data'], NO_FIELDS, undefined);
        this.#numbered = new MapConstructor();
        return node['data'];
      }
    }
    return value;
  }

  read(value: unknown, frame: PathFrame | undefined): unknown {
    this.countNodes(1, frame);
    return typeof value === 'object' && value !== null ? this.#readObject(value, frame) : value;
  }

  #readObject(value: object, frame: PathFrame | undefined): unknown {
    if (isArray(value)) return this.#readArray(value, frame);
    const node = value as WireNode; // From `JSON.parse`, and not an array.
    return hasOwn(node, TAG_KEY)
      ? this.#readTagged(node, node[TAG_KEY], frame)
      : this.#readPlainObject(node, frame);
  }

  #readTagged(node: WireNode, tag: unknown, frame: PathFrame | undefined): unknown {
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

  #readCustom(tag: string, node: WireNode, frame: PathFrame | undefined): unknown {
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

  /** Reads an object with a number; the number precedes those of its content. */
  #readNumbered(read: KindReader, node: WireNode, frame: PathFrame | undefined): object {
    const number = this.takeNumber();
    const made = read(this, node, frame);
    // A container was already added when it was opened; other objects are added here.
    this.keepNumber(number, made);
    return made;
  }

  /** Assigns a number to the object that is read next. Only a graph uses it. */
  takeNumber(): number {
    return this.#objects++;
  }

  keepNumber(number: number, made: object): void {
    if (this.#numbered !== undefined) mapSet(this.#numbered, number, made);
  }

  #readArray(value: unknown[], parent: PathFrame | undefined): unknown[] {
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

  /** Continues an array at its first hole: keeps the array and moves its elements. */
  #readSparse(value: unknown[], from: number, frame: PathFrame): unknown[] {
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

  /** The number of holes that a node represents. */
  holeCount(node: WireNode, frame: PathFrame): number {
    this.requireFields(node, ['count'], NO_FIELDS, frame);
    const { count } = node;
    if (!isInteger(count) || count < 1) throw this.malformed('Not a count', count, frame);
    this.countNodes(count - 1, frame); // The node of the hole is already counted as one.
    return count;
  }

  #readPlainObject(node: WireNode, parent: PathFrame | undefined): object {
    const frame = this.openPlainObject(node, parent);
    let count = 0;
    for (const key in node) {
      if (this.#isPolluted && !hasOwn(node, key)) continue;
      count++;
      const child = node[key];
      if (typeof child !== 'object' || child === null) continue;
      frame.key = key;
      const made = this.#readObject(child, frame);
      // The own property exists, so no setter of a prototype runs.
      if (made !== child) (node as Record<string, unknown>)[key] = made;
    }
    this.countNodes(count, frame);
    this.at = parent;
    return node;
  }

  /** Enters a plain object, whose members are then replaced in place. */
  openPlainObject(node: WireNode, parent: PathFrame | undefined): PathFrame {
    if (this.#numbered !== undefined) {
      this.#objects++;
      const names = ownEnumerableKeys(node);
      // JavaScript iterates index keys first, so objects would get wrong numbers.
      if (names.length !== 0 && isIndex(names[0] as string)) {
        throw this.malformed('A key that is an index, in a graph', node, parent);
      }
    }
    return this.open(node, parent, 'property');
  }

  #readNumber(node: WireNode, frame: PathFrame | undefined): number {
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

  #readBigInt(node: WireNode, frame: PathFrame | undefined): bigint {
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
    // Only the text `0` may start with a zero.
    if (used === 0 || (charCodeAt(text, first) === 48 && text !== '0')) {
      throw this.malformed('Not a canonical integer', text, frame);
    }
    return toBigInt(text);
  }

  #readCycle(node: WireNode, frame: PathFrame | undefined): object {
    this.requireFields(node, ['level'], NO_FIELDS, frame);
    const { level } = node;
    if (this.#numbered === undefined && isInteger(level)) {
      let above = frame;
      while (above !== undefined && above.depth !== level) above = above.parent;
      if (above !== undefined && above.container !== PENDING) return above.container;
    }
    throw this.malformed('A cycle to no container above', level, frame);
  }

  #readRef(node: WireNode, frame: PathFrame | undefined): unknown {
    this.requireFields(node, ['id'], NO_FIELDS, frame);
    const { id } = node;
    const made =
      this.#numbered !== undefined && isInteger(id) ? mapGet(this.#numbered, id) : undefined;
    if (made === undefined) throw this.malformed('A reference to no earlier object', id, frame);
    return made;
  }

  /** Adds to the number of values, which has a limit. */
  countNodes(count: number, frame: PathFrame | undefined): void {
    const { maxNodes } = this.settings.limits;
    this.#nodes += count;
    if (this.#nodes > maxNodes) throw limitError('maxNodes', maxNodes, this.#nodes, frame);
  }

  /** Adds to the work of creating RegExps, which has a limit. */
  countRegExp(work: number, frame: PathFrame | undefined): void {
    const { maxRegExpWork } = this.settings.limits;
    this.#regExpWork += work;
    if (this.#regExpWork > maxRegExpWork) {
      throw limitError('maxRegExpWork', maxRegExpWork, this.#regExpWork, frame);
    }
  }

  /** Enters a container, before anything within it is read. */
  open(container: object, parent: PathFrame | undefined, kind: StepKind): PathFrame {
    const { maxDepth } = this.settings.limits;
    const frame = openFrame(parent, container, kind);
    if (frame.depth >= maxDepth) throw limitError('maxDepth', maxDepth, frame.depth + 1, parent);
    // The number that was assigned last belongs to this container.
    if (this.#numbered !== undefined && container !== PENDING) {
      mapSet(this.#numbered, this.#objects - 1, container);
    }
    this.at = frame;
    return frame;
  }

  /** Enters a value that is created after its content is read, so no cycle can refer to it. */
  openPending(parent: PathFrame | undefined, step: string): PathFrame {
    const frame = this.open(PENDING, parent, 'property');
    frame.key = step;
    return frame;
  }

  /** Refuses a node with missing or additional fields. */
  requireFields(
    node: WireNode,
    required: readonly string[],
    optional: readonly string[],
    frame: PathFrame | undefined,
  ): void {
    let known = 1; // The tag.
    for (let at = 0; at < required.length; at++) {
      const name = required[at] as string; // The index is in bounds.
      if (!hasOwn(node, name))
        throw this.malformed('The field ' + name + ' is missing', node, frame);
      known++;
    }
    for (let at = 0; at < optional.length; at++) {
      if (hasOwn(node, optional[at] as string)) known++; // The index is in bounds.
    }
    if (ownEnumerableKeys(node).length !== known) {
      throw this.malformed('A field that does not belong there', node, frame);
    }
  }

  /** An optional field. */
  optional(node: WireNode, name: string): unknown {
    return hasOwn(node, name) ? node[name] : undefined;
  }

  /** The text in `data`, which must be the only field. */
  onlyText(node: WireNode, frame: PathFrame | undefined): string {
    if (!hasOwn(node, 'data') || ownEnumerableKeys(node).length !== 2) {
      throw this.malformed('Not one field data', node, frame);
    }
    return this.text(node['data'], frame);
  }

  text(value: unknown, frame: PathFrame | undefined): string {
    if (typeof value !== 'string') throw this.malformed('Not a text', value, frame);
    return value;
  }

  /** A text that may have been cut out of the JSON. */
  blob(value: unknown, frame: PathFrame | undefined): string {
    const text = this.text(value, frame);
    return this.#blobs?.take(text) ?? text;
  }

  list(value: unknown, frame: PathFrame | undefined): unknown[] {
    if (!isArray(value)) throw this.malformed('Not a list', value, frame);
    return value;
  }

  pair(value: unknown, frame: PathFrame | undefined): unknown[] {
    const pair = this.list(value, frame);
    if (pair.length !== 2) throw this.malformed('Not a pair', value, frame);
    return pair;
  }

  /** Creates a value of a class whose constructor throws for invalid text. */
  construct<Value extends object>(
    valueClass: new (text: string) => Value,
    text: string,
    frame: PathFrame | undefined,
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
    frame: PathFrame | undefined,
    cause?: unknown,
  ): SerializationError {
    return new SerializationError('MALFORMED', reason, { path: pathOf(frame), value, cause });
  }
}

function hasEnumerableKey(value: object): boolean {
  return ownEnumerableKeys(value).length !== 0;
}
