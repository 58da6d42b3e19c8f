import { writeKind } from './kind-registry.ts';
import type { WritePass } from './kinds/write-pass.ts';
import { openFrame, pathOf } from './path.ts';
import type { PathFrame, StepKind } from './path.ts';
import { isProxy } from './platform.ts';
import {
  ArrayPrototype,
  bigIntToString,
  getOwnPropertyNames,
  getOwnPropertySymbols,
  getPrototypeOf,
  hasOwn,
  isArray,
  isSafeInteger,
  MapConstructor,
  mapGet,
  mapSet,
  ObjectPrototype,
  ownEnumerableKeys,
  ownKeys,
  slice,
} from './primordials.ts';
import { quote } from './quote.ts';
import { RecordShapes } from './record-shapes.ts';
import { SerializationError } from './serialization-error.ts';
import { limitError } from './serializer-limits.ts';
import type { Settings } from './settings.ts';
import { isIndex, TAG_KEY, tagText } from './tags.ts';

/** Maximum number of digits of an integer that Python reads. */
const PYTHON_INTEGER_DIGITS = 4300;

/** Above this number of elements, the keys of an array are listed only with `thorough`. */
const MANY = 64;

function isFull(value: readonly unknown[], length: number): boolean {
  for (let at = 0; at < length; at++) {
    if (value[at] === undefined && !hasOwn(value, at)) return false;
  }
  return true;
}

/**
 * Writes a value in one pass: each property is read once, and the value that was read is written.
 * It only concatenates text: changed prototypes could observe arrays and objects that it creates.
 */
export class Writer implements WritePass {
  readonly settings: Settings;
  /** The current position, for the path of an error that user code throws. */
  at: PathFrame | undefined;
  #nodes = 0;
  #regExpWork = 0;
  #characters = 0;
  readonly #shapes = new RecordShapes();
  /** The numbers of the objects written so far, if references are preserved. */
  readonly #numbers: Map<object, number> | undefined;
  #objects = 0;

  constructor(settings: Settings) {
    this.settings = settings;
    this.#numbers = settings.preservesReferences ? new MapConstructor() : undefined;
  }

  /** The complete text after the prefix. */
  writeRoot(value: unknown): string {
    const text = this.write(value, undefined);
    return this.#numbers === undefined ? text : tagText('graph', ',"data":' + text);
  }

  write(value: unknown, frame: PathFrame | undefined): string {
    this.countNodes(1, frame);
    switch (typeof value) {
      case 'string':
        return this.writeString(value, frame);
      case 'number':
        return this.#writeNumber(value);
      case 'boolean':
        return value ? 'true' : 'false';
      case 'bigint':
        return this.#writeBigInt(value, frame);
      case 'undefined':
        if (this.settings.isPython) throw this.unsupported('undefined', value, frame);
        return tagText('undefined', '');
      case 'object':
        return value === null ? 'null' : this.#writeObject(value, frame);
      case 'function':
      case 'symbol':
        throw this.unsupported('a ' + typeof value, value, frame);
    }
  }

  writeString(value: string, frame: PathFrame | undefined): string {
    this.countCharacters(value.length, frame);
    return quote(value);
  }

  #writeNumber(value: number): string {
    if (value - value !== 0) {
      return this.settings.isPython ? '' + value : tagText('number', ',"data":"' + value + '"');
    }
    if (value === 0) return 1 / value < 0 ? '-0.0' : '0';
    const text = '' + value;
    // Python reads digits alone as an integer, and this package reads one beyond 2⁵³ as BigInt.
    return this.settings.isPython &&
      value % 1 === 0 &&
      !isSafeInteger(value) &&
      value < 1e21 &&
      value > -1e21
      ? text + '.0'
      : text;
  }

  #writeBigInt(value: bigint, frame: PathFrame | undefined): string {
    const { isPython, limits } = this.settings;
    const allowed = limits.maxBigIntDigits;
    // Conversion to base 10 takes quadratic time. The cheap conversion to base 16 shows if the
    // number is far beyond the limit.
    const hexDigits = bigIntToString(value, 16).length;
    if (hexDigits > allowed + 1) throw limitError('maxBigIntDigits', allowed, hexDigits, frame);
    const digits = bigIntToString(value, 10);
    const used = value < 0n ? digits.length - 1 : digits.length;
    if (used > allowed) throw limitError('maxBigIntDigits', allowed, used, frame);
    if (isPython && used > PYTHON_INTEGER_DIGITS) {
      throw this.unsupported('an integer of more than 4300 digits', value, frame);
    }
    this.countCharacters(used, frame);
    return isPython ? digits : tagText('bigint', ',"data":"' + digits + '"');
  }

  #writeObject(value: object, frame: PathFrame | undefined): string {
    if (isProxy(value)) throw this.unsupported('a Proxy', value, frame);
    const earlier = this.#backReference(value, frame);
    if (earlier !== undefined) return earlier;
    const prototype = getPrototypeOf(value);
    if (prototype === ObjectPrototype) return this.#writePlainObject(value, frame);
    if (prototype === ArrayPrototype && isArray(value)) return this.#writeArray(value, frame);
    return writeKind(this, value, prototype, frame);
  }

  /** The text of a reference to an outer container (cycle) or to an object written before. */
  #backReference(value: object, frame: PathFrame | undefined): string | undefined {
    let above = frame;
    while (above !== undefined && above.container !== value) above = above.parent;
    if (above !== undefined && (above.isClosed || this.settings.isPython)) {
      throw new SerializationError('CYCLE', 'Cannot carry this cycle', {
        path: pathOf(frame),
        value,
      });
    }
    if (this.#numbers === undefined) {
      return above === undefined ? undefined : tagText('cycle', ',"level":' + above.depth);
    }
    const number = mapGet(this.#numbers, value) as number | undefined;
    if (number !== undefined) return tagText('ref', ',"id":' + number);
    mapSet(this.#numbers, value, this.#objects++);
    return undefined;
  }

  /** Enters a container. */
  open(container: object, parent: PathFrame | undefined, kind: StepKind): PathFrame {
    const { maxDepth } = this.settings.limits;
    const frame = openFrame(parent, container, kind);
    if (frame.depth >= maxDepth) throw limitError('maxDepth', maxDepth, frame.depth + 1, parent);
    this.at = frame;
    return frame;
  }

  /** Enters a value that the reader creates after its content, so no cycle may refer to it. */
  openClosed(container: object, parent: PathFrame | undefined, step: string): PathFrame {
    const frame = this.open(container, parent, 'property');
    frame.key = step;
    frame.isClosed = true;
    return frame;
  }

  /** Leaves a container. */
  close(frame: PathFrame): void {
    this.at = frame.parent;
  }

  #writePlainObject(value: object, parent: PathFrame | undefined): string {
    const frame = this.open(value, parent, 'property');
    const names = this.namesOf(value, frame);
    if (this.#needsEscape(names)) return this.writePairs(value, names, 'object', frame);
    const { length } = names;
    if (length === 0) {
      this.close(frame);
      return '{}';
    }
    const { texts, characters } = this.#shapes.of(names);
    this.countCharacters(characters, frame);
    let text = '';
    for (let at = 0; at < length; at++) {
      const name = names[at] as string; // The index is in bounds.
      frame.key = name;
      const child = (value as Record<string, unknown>)[name]; // Read once: it may be an accessor.
      text += texts[at] + this.write(child, frame);
    }
    this.close(frame);
    return text + '}';
  }

  /** The keys of a plain object, which must be all its own properties. */
  namesOf(value: object, frame: PathFrame): string[] {
    const names = ownEnumerableKeys(value);
    this.requireNoSymbols(value, frame.parent);
    if (getOwnPropertyNames(value).length !== names.length) {
      throw this.unsupported(
        'an object with a property that is not enumerable',
        value,
        frame.parent,
      );
    }
    return names;
  }

  /** Refuses own properties of an object whose value is in internal slots. */
  requireNoOwnKeys(value: object, parent: PathFrame | undefined): void {
    // Listing all keys takes ten times as long as listing the enumerable keys.
    const names = this.settings.hasFastPath ? ownEnumerableKeys(value) : ownKeys(value);
    if (names.length !== 0) throw this.#unsupportedProperty(value, parent);
  }

  /** The same for an object that always has this number of own keys. */
  requireOwnKeys(value: object, count: number, parent: PathFrame | undefined): void {
    if (ownKeys(value).length !== count) throw this.#unsupportedProperty(value, parent);
  }

  #unsupportedProperty(value: object, parent: PathFrame | undefined): SerializationError {
    return this.unsupported('a built-in object with a property of its own', value, parent);
  }

  requireNoSymbols(value: object, parent: PathFrame | undefined): void {
    if (getOwnPropertySymbols(value).length === 0) return;
    throw this.unsupported('an object with a symbol as key', value, parent);
  }

  /**
   * Whether an object must be written as pairs: if it has the tag key itself, or, in a graph, keys
   * such as `"1"`, because JavaScript iterates index keys first and the numbers would be wrong.
   */
  #needsEscape(names: string[]): boolean {
    if (names.length !== 0 && this.#numbers !== undefined && isIndex(names[0] as string))
      return true;
    for (let at = 0; at < names.length; at++) if (names[at] === TAG_KEY) return true;
    return false;
  }

  /** An object as pairs, the form that Python uses for a dict that cannot be a JSON object. */
  writePairs(value: object, names: string[], hint: string, frame: PathFrame): string {
    let pairs = '';
    for (let at = 0; at < names.length; at++) {
      const name = names[at] as string; // The index is in bounds.
      frame.key = name;
      const child = (value as Record<string, unknown>)[name]; // Read once: it may be an accessor.
      const key = this.writeString(name, frame);
      pairs += (at === 0 ? '[' : ',[') + key + ',' + this.write(child, frame) + ']';
    }
    this.close(frame);
    return tagText('dict_with_complex_keys', ',"data":[' + pairs + '],"js":"' + hint + '"');
  }

  #writeArray(value: unknown[], parent: PathFrame | undefined): string {
    const frame = this.open(value, parent, 'index');
    const text = this.writeElements(value, frame);
    this.close(frame);
    return text;
  }

  /** The elements of an array in brackets; holes are written as counts. */
  writeElements(value: readonly unknown[], frame: PathFrame): string {
    const { length } = value;
    if (this.settings.hasFastPath && length > MANY && isFull(value, length)) {
      return this.#writeDense(value, length, frame);
    }
    const names = ownKeys(value);
    // The number of keys and the position of the last index show that nothing is missing or added.
    return names.length === length + 1 && (length === 0 || names[length - 1] === '' + (length - 1))
      ? this.#writeDense(value, length, frame)
      : this.#writeSparse(value, length, names, frame);
  }

  #writeDense(value: readonly unknown[], length: number, frame: PathFrame): string {
    let text = '[';
    for (let at = 0; at < length; at++) {
      frame.key = at;
      text += (at === 0 ? '' : ',') + this.write(value[at], frame);
    }
    return text + ']';
  }

  #writeSparse(
    value: readonly unknown[],
    length: number,
    names: (string | symbol)[],
    frame: PathFrame,
  ): string {
    let text = '';
    let next = 0;
    for (let at = 0; at < names.length; at++) {
      const name = names[at] as string | symbol; // The index is in bounds.
      if (name === 'length') continue;
      const index = typeof name === 'string' && isIndex(name) ? +name : -1;
      if (index < next || index >= length) {
        throw this.unsupported('an array with a property that is no element', value, frame.parent);
      }
      frame.key = next;
      text += this.#holeText(index - next, frame);
      frame.key = index;
      text += ',' + this.write(value[index], frame);
      next = index + 1;
    }
    frame.key = next;
    text += this.#holeText(length - next, frame);
    // Each part starts with a comma, because any part can be the first.
    return '[' + slice(text, 1) + ']';
  }

  #holeText(count: number, frame: PathFrame): string {
    if (count === 0) return '';
    if (this.settings.isPython)
      throw this.unsupported('an array with holes', frame.container, frame.parent);
    this.countNodes(count, frame);
    return ',' + tagText('hole', ',"count":' + count);
  }

  /** Adds to the work of creating RegExps, which has a limit. */
  countRegExp(work: number, frame: PathFrame | undefined): void {
    const { maxRegExpWork } = this.settings.limits;
    this.#regExpWork += work;
    if (this.#regExpWork > maxRegExpWork) {
      throw limitError('maxRegExpWork', maxRegExpWork, this.#regExpWork, frame);
    }
  }

  countNodes(count: number, frame: PathFrame | undefined): void {
    const { maxNodes } = this.settings.limits;
    this.#nodes += count;
    if (this.#nodes > maxNodes) throw limitError('maxNodes', maxNodes, this.#nodes, frame);
  }

  /** Stops before the text exceeds the limit; the exact bytes are counted at the end. */
  countCharacters(count: number, frame: PathFrame | undefined): void {
    const { maxBytes } = this.settings.limits;
    this.#characters += count;
    if (this.#characters > maxBytes)
      throw limitError('maxBytes', maxBytes, this.#characters, frame);
  }

  unsupported(what: string, value: unknown, frame: PathFrame | undefined): SerializationError {
    const place = this.settings.isPython ? ' in the Python profile' : '';
    return new SerializationError('UNSUPPORTED_TYPE', 'Cannot carry ' + what + place, {
      path: pathOf(frame),
      value,
    });
  }
}
