import { writeKind } from './kind-registry.ts';
import type { WritePass } from './kinds/write-pass.ts';
import { openFrame, pathOf } from './path.ts';
import type { Frame, StepKind } from './path.ts';
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

/** Python refuses to read an integer of more digits than this. */
const PYTHON_INTEGER_DIGITS = 4300;

/** From so many elements on, all keys of an array are listed only where the caller wants it so. */
const MANY = 64;

function isFull(value: readonly unknown[], length: number): boolean {
  for (let at = 0; at < length; at++) {
    if (value[at] === undefined && !hasOwn(value, at)) return false;
  }
  return true;
}

/**
 * Writes a value in one pass: each property is read once, and what was read is what is written.
 * It builds text alone, by concatenation, since every array or object that it made on the way
 * could be watched through prototypes that the owner of the value has changed.
 */
export class Writer implements WritePass {
  readonly settings: Settings;
  /** Where the pass is, for the path of an error that user code throws. */
  at: Frame | undefined;
  #nodes = 0;
  #regExpWork = 0;
  #characters = 0;
  readonly #shapes = new RecordShapes();
  /** The number of each object so far, where references are preserved. */
  readonly #numbers: Map<object, number> | undefined;
  #objects = 0;

  constructor(settings: Settings) {
    this.settings = settings;
    this.#numbers = settings.preservesReferences ? new MapConstructor() : undefined;
  }

  /** The whole text after the prefix. */
  writeRoot(value: unknown): string {
    const text = this.write(value, undefined);
    return this.#numbers === undefined ? text : tagText('graph', ',"data":' + text);
  }

  write(value: unknown, frame: Frame | undefined): string {
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

  writeString(value: string, frame: Frame | undefined): string {
    this.countCharacters(value.length, frame);
    return quote(value);
  }

  #writeNumber(value: number): string {
    if (value - value !== 0) {
      return this.settings.isPython ? '' + value : tagText('number', ',"data":"' + value + '"');
    }
    if (value === 0) return 1 / value < 0 ? '-0.0' : '0';
    const text = '' + value;
    // To Python, digits alone are an integer; from 2⁵³ on this package reads one as BigInt.
    return this.settings.isPython &&
      value % 1 === 0 &&
      !isSafeInteger(value) &&
      value < 1e21 &&
      value > -1e21
      ? text + '.0'
      : text;
  }

  #writeBigInt(value: bigint, frame: Frame | undefined): string {
    const { isPython, limits } = this.settings;
    const allowed = limits.maxBigIntDigits;
    // Its digits in base 16 say cheaply that the quadratic conversion to base 10 is not worth it.
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

  #writeObject(value: object, frame: Frame | undefined): string {
    if (isProxy(value)) throw this.unsupported('a Proxy', value, frame);
    const earlier = this.#backReference(value, frame);
    if (earlier !== undefined) return earlier;
    const prototype = getPrototypeOf(value);
    if (prototype === ObjectPrototype) return this.#writePlainObject(value, frame);
    if (prototype === ArrayPrototype && isArray(value)) return this.#writeArray(value, frame);
    return writeKind(this, value, prototype, frame);
  }

  /** The text that leads back to an object on the way from the root, or to one written before. */
  #backReference(value: object, frame: Frame | undefined): string | undefined {
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
  open(container: object, parent: Frame | undefined, kind: StepKind): Frame {
    const { maxDepth } = this.settings.limits;
    const frame = openFrame(parent, container, kind);
    if (frame.depth >= maxDepth) throw limitError('maxDepth', maxDepth, frame.depth + 1, parent);
    this.at = frame;
    return frame;
  }

  /** Enters what is read only once its content is there, so that nothing may lead back to it. */
  openClosed(container: object, parent: Frame | undefined, step: string): Frame {
    const frame = this.open(container, parent, 'property');
    frame.key = step;
    frame.isClosed = true;
    return frame;
  }

  /** Leaves a container. */
  close(frame: Frame): void {
    this.at = frame.parent;
  }

  #writePlainObject(value: object, parent: Frame | undefined): string {
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
      const name = names[at] as string; // Below the length.
      frame.key = name;
      const child = (value as Record<string, unknown>)[name]; // Read once: it may be an accessor.
      text += texts[at] + this.write(child, frame);
    }
    this.close(frame);
    return text + '}';
  }

  /** The keys of a plain object, which must be all that it has of its own. */
  namesOf(value: object, frame: Frame): string[] {
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

  /** Refuses what somebody has put on an object whose value lies in its slots. */
  requireNoOwnKeys(value: object, parent: Frame | undefined): void {
    // All keys take ten times as long to list as those that are enumerable.
    const names = this.settings.hasFastPath ? ownEnumerableKeys(value) : ownKeys(value);
    if (names.length !== 0) throw this.#unsupportedProperty(value, parent);
  }

  /** The same for an object that has so many keys by its nature. */
  requireOwnKeys(value: object, count: number, parent: Frame | undefined): void {
    if (ownKeys(value).length !== count) throw this.#unsupportedProperty(value, parent);
  }

  #unsupportedProperty(value: object, parent: Frame | undefined): SerializationError {
    return this.unsupported('a built-in object with a property of its own', value, parent);
  }

  requireNoSymbols(value: object, parent: Frame | undefined): void {
    if (getOwnPropertySymbols(value).length === 0) return;
    throw this.unsupported('an object with a symbol as key', value, parent);
  }

  /**
   * A tag is told by its key, so an object that owns the key is written as pairs. So is one with
   * keys like `"1"` where objects are counted, as JavaScript reads such keys out of their order.
   */
  #needsEscape(names: string[]): boolean {
    if (names.length !== 0 && this.#numbers !== undefined && isIndex(names[0] as string))
      return true;
    for (let at = 0; at < names.length; at++) if (names[at] === TAG_KEY) return true;
    return false;
  }

  /** An object as pairs, which is how Python writes a dict that it cannot write as an object. */
  writePairs(value: object, names: string[], hint: string, frame: Frame): string {
    let pairs = '';
    for (let at = 0; at < names.length; at++) {
      const name = names[at] as string; // Below the length.
      frame.key = name;
      const child = (value as Record<string, unknown>)[name]; // Read once: it may be an accessor.
      const key = this.writeString(name, frame);
      pairs += (at === 0 ? '[' : ',[') + key + ',' + this.write(child, frame) + ']';
    }
    this.close(frame);
    return tagText('dict_with_complex_keys', ',"data":[' + pairs + '],"js":"' + hint + '"');
  }

  #writeArray(value: unknown[], parent: Frame | undefined): string {
    const frame = this.open(value, parent, 'index');
    const text = this.writeElements(value, frame);
    this.close(frame);
    return text;
  }

  /** The elements of an array in brackets, with its holes counted. */
  writeElements(value: readonly unknown[], frame: Frame): string {
    const { length } = value;
    if (this.settings.hasFastPath && length > MANY && isFull(value, length)) {
      return this.#writeDense(value, length, frame);
    }
    const names = ownKeys(value);
    // So many keys, and the last index among them where it belongs: nothing is missing or added.
    return names.length === length + 1 && (length === 0 || names[length - 1] === '' + (length - 1))
      ? this.#writeDense(value, length, frame)
      : this.#writeSparse(value, length, names, frame);
  }

  #writeDense(value: readonly unknown[], length: number, frame: Frame): string {
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
    frame: Frame,
  ): string {
    let text = '';
    let next = 0;
    for (let at = 0; at < names.length; at++) {
      const name = names[at] as string | symbol; // Below the length.
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
    // Each part begins with a comma, as nobody knows which is the first.
    return '[' + slice(text, 1) + ']';
  }

  #holeText(count: number, frame: Frame): string {
    if (count === 0) return '';
    if (this.settings.isPython)
      throw this.unsupported('an array with holes', frame.container, frame.parent);
    this.countNodes(count, frame);
    return ',' + tagText('hole', ',"count":' + count);
  }

  /** Counts the work of making a RegExp against the limit. */
  countRegExp(work: number, frame: Frame | undefined): void {
    const { maxRegExpWork } = this.settings.limits;
    this.#regExpWork += work;
    if (this.#regExpWork > maxRegExpWork) {
      throw limitError('maxRegExpWork', maxRegExpWork, this.#regExpWork, frame);
    }
  }

  countNodes(count: number, frame: Frame | undefined): void {
    const { maxNodes } = this.settings.limits;
    this.#nodes += count;
    if (this.#nodes > maxNodes) throw limitError('maxNodes', maxNodes, this.#nodes, frame);
  }

  /** Stops text from growing past the limit; the bytes of the whole are counted at its end. */
  countCharacters(count: number, frame: Frame | undefined): void {
    const { maxBytes } = this.settings.limits;
    this.#characters += count;
    if (this.#characters > maxBytes)
      throw limitError('maxBytes', maxBytes, this.#characters, frame);
  }

  unsupported(what: string, value: unknown, frame: Frame | undefined): SerializationError {
    const place = this.settings.isPython ? ' in the Python profile' : '';
    return new SerializationError('UNSUPPORTED_TYPE', 'Cannot carry ' + what + place, {
      path: pathOf(frame),
      value,
    });
  }
}
