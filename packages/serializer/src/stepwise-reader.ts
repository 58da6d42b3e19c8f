import { endWithHoles, isHole } from './holes.ts';
import { onlyList, openDict } from './kinds/collections.ts';
import { HIDDEN_FIELDS, openError, propertyOf } from './kinds/error-objects.ts';
import type { WireNode } from './kinds/read-pass.ts';
import type { PathFrame } from './path.ts';
import {
  defineData,
  freeze,
  hasOwn,
  isArray,
  mapSet,
  mapSize,
  ownEnumerableKeys,
  setAdd,
  SetConstructor,
  setSize,
} from './primordials.ts';
import type { Reader } from './reader.ts';
import { FrozenSet, openTuple } from './special-values.ts';
import { TAG_KEY } from './tags.ts';

/** Yields after each step and returns the value. */
type Steps<Value> = Generator<undefined, Value>;

/** Members of a long container that one step reads. */
const STEP_MEMBERS = 128;

/**
 * Reads parsed JSON as {@link Reader} does, in steps of about a millisecond. It handles only long parts:
 * lists, plain objects, and the tags whose content has no maximum length. The reader handles all other
 * parts in one go.
 *
 * Only for the host: loops over generators look up methods that guest code could replace.
 */
export class StepwiseReader {
  readonly #reader: Reader;
  readonly #long: WeakSet<object>;

  /** @param long The containers of the JSON that take more than one step. */
  constructor(reader: Reader, long: WeakSet<object>) {
    this.#reader = reader;
    this.#long = long;
  }

  *readRoot(value: unknown): Steps<unknown> {
    return yield* this.#read(this.#reader.rootOf(value), undefined);
  }

  /** Whether a part takes more than one step. Most parts do not, and need no generator. */
  #isLong(value: unknown): value is object {
    return typeof value === 'object' && value !== null && this.#long.has(value);
  }

  *#read(value: unknown, frame: PathFrame | undefined): Steps<unknown> {
    const steps = this.#isLong(value) ? this.#stepsOf(value, frame) : undefined;
    if (steps === undefined) return this.#reader.read(value, frame);
    this.#reader.countNodes(1, frame);
    return yield* steps;
  }

  /** The steps for a long part; undefined for tags whose content is always short. */
  #stepsOf(value: object, frame: PathFrame | undefined): Steps<object> | undefined {
    if (isArray(value)) return this.#readArray(value, frame);
    const node = value as WireNode; // From `JSON.parse`, and not an array.
    if (!hasOwn(node, TAG_KEY)) return this.#readPlainObject(node, frame);
    const tagged = this.#tagged(node, node[TAG_KEY], frame);
    return tagged === undefined ? undefined : this.#readNumbered(tagged);
  }

  #tagged(node: WireNode, tag: unknown, frame: PathFrame | undefined): Steps<object> | undefined {
    switch (tag) {
      case 'tuple':
        return this.#readTuple(node, frame);
      case 'set':
        return this.#readMembers(node, new SetConstructor(), frame);
      case 'frozenset':
        return this.#readMembers(node, new FrozenSet(), frame);
      case 'dict_with_complex_keys':
        return this.#readPairs(node, frame);
      case 'error':
        return this.#readError(node, frame);
      default:
        return undefined;
    }
  }

  *#readNumbered(steps: Steps<object>): Steps<object> {
    const number = this.#reader.takeNumber();
    const made = yield* steps;
    this.#reader.keepNumber(number, made);
    return made;
  }

  *#readArray(value: unknown[], parent: PathFrame | undefined): Steps<object> {
    this.#reader.takeNumber();
    const frame = this.#reader.open(value, parent, 'index');
    const { length } = value;
    // Reading counts the elements.
    for (let at = 0; at < length; at++) {
      const element = value[at];
      frame.key = at;
      if (isHole(element)) return yield* this.#readSparse(value, at, frame);
      const made = this.#isLong(element)
        ? yield* this.#read(element, frame)
        : this.#reader.read(element, frame);
      if (made !== element) value[at] = made;
      if (at % STEP_MEMBERS === 0) yield undefined;
    }
    return value;
  }

  /** Continues an array from its first hole: the array stays, its elements move. */
  *#readSparse(value: unknown[], from: number, frame: PathFrame): Steps<object> {
    const rest = value.splice(from);
    let index = from;
    let wasHole = false;
    for (let at = 0; at < rest.length; at++) {
      const element = rest[at];
      frame.key = index;
      if (isHole(element)) {
        if (wasHole) throw this.#reader.malformed('Two holes in a row', element, frame);
        index += this.#reader.holeCount(element, frame);
      } else {
        defineData(
          value,
          index++,
          this.#isLong(element)
            ? yield* this.#read(element, frame)
            : this.#reader.read(element, frame),
        );
      }
      wasHole = isHole(element);
      if (at % STEP_MEMBERS === 0) yield undefined;
    }
    endWithHoles(value, index);
    return value;
  }

  *#readPlainObject(node: WireNode, parent: PathFrame | undefined): Steps<object> {
    const frame = this.#reader.openPlainObject(node, parent);
    const names = ownEnumerableKeys(node);
    for (let at = 0; at < names.length; at++) {
      const name = names[at] as string; // The index is in bounds.
      const member = node[name];
      frame.key = name;
      const made = this.#isLong(member)
        ? yield* this.#read(member, frame)
        : this.#reader.read(member, frame);
      // The own property exists, so no setter of a prototype runs.
      if (made !== member) (node as Record<string, unknown>)[name] = made;
      if (at % STEP_MEMBERS === 0) yield undefined;
    }
    return node;
  }

  *#readTuple(node: WireNode, parent: PathFrame | undefined): Steps<object> {
    const items = onlyList(this.#reader, node, parent);
    const made = openTuple();
    const frame = this.#reader.open(made, parent, 'index');
    for (let at = 0; at < items.length; at++) {
      frame.key = at;
      defineData(
        made,
        at,
        this.#isLong(items[at])
          ? yield* this.#read(items[at], frame)
          : this.#reader.read(items[at], frame),
      );
      if (at % STEP_MEMBERS === 0) yield undefined;
    }
    return freeze(made);
  }

  *#readMembers(node: WireNode, made: Set<unknown>, parent: PathFrame | undefined): Steps<object> {
    const items = onlyList(this.#reader, node, parent);
    const frame = this.#reader.open(made, parent, 'member');
    for (let at = 0; at < items.length; at++) {
      frame.key = at;
      setAdd(
        made,
        this.#isLong(items[at])
          ? yield* this.#read(items[at], frame)
          : this.#reader.read(items[at], frame),
      );
      if (at % STEP_MEMBERS === 0) yield undefined;
    }
    if (setSize(made) !== items.length) {
      throw this.#reader.malformed('A member twice', node, parent);
    }
    return made;
  }

  *#readPairs(node: WireNode, parent: PathFrame | undefined): Steps<object> {
    const { pairs, made, isMap } = openDict(this.#reader, node, parent);
    const frame = this.#reader.open(made, parent, isMap ? 'key' : 'property');
    for (let at = 0; at < pairs.length; at++) {
      if (isMap) {
        frame.kind = 'key';
        frame.key = at;
        const [key, entry] = this.#reader.pair(pairs[at], frame);
        const madeKey = this.#isLong(key)
          ? yield* this.#read(key, frame)
          : this.#reader.read(key, frame);
        frame.kind = 'entry';
        frame.key = madeKey;
        mapSet(
          made,
          madeKey,
          this.#isLong(entry) ? yield* this.#read(entry, frame) : this.#reader.read(entry, frame),
        );
      } else {
        yield* this.#defineProperty(pairs[at], made, frame);
      }
      if (at % STEP_MEMBERS === 0) yield undefined;
    }
    if (isMap && mapSize(made) !== pairs.length) {
      throw this.#reader.malformed('A key twice', node, parent);
    }
    return made;
  }

  *#readError(node: WireNode, parent: PathFrame | undefined): Steps<object> {
    const frame = openError(this.#reader, node, parent);
    const made = frame.container;
    for (const name of HIDDEN_FIELDS) {
      if (!hasOwn(node, name)) continue;
      frame.key = name;
      defineData(made, name, yield* this.#read(node[name], frame), false);
    }
    if (!hasOwn(node, 'properties')) return made;
    const pairs = this.#reader.list(node['properties'], frame);
    for (let at = 0; at < pairs.length; at++) {
      yield* this.#defineProperty(pairs[at], made, frame);
      if (at % STEP_MEMBERS === 0) yield undefined;
    }
    return made;
  }

  *#defineProperty(pair: unknown, made: object, frame: PathFrame): Steps<undefined> {
    const [name, content] = propertyOf(this.#reader, pair, made, frame);
    defineData(made, name as string, yield* this.#read(content, frame)); // `propertyOf` checked the name.
    return undefined;
  }
}
