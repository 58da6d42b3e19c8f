import { readDateTime, readDay, readInstant, readTime } from './iso-time.ts';
import { defineData, execRegExp, freeze, isArray, isFiniteNumber } from './primordials.ts';
import { SerializationError } from './serialization-error.ts';

/**
 * Values of Python for which JavaScript has no type. Each is written back exactly as it was read.
 *
 * The classes and their instances are frozen, and their state is private: the writer reads exactly
 * what the constructor got, even if other code has run since.
 */

function malformed(what: string, value: unknown): SerializationError {
  return new SerializationError('MALFORMED', 'Not a valid ' + what, { value });
}

class TupleArray extends Array<unknown> {
  readonly #isTuple = true;
  static override get [Symbol.species](): ArrayConstructor {
    return Array; // `map` and `filter` return plain arrays.
  }
  static is(value: object): boolean {
    return #isTuple in value;
  }
}
freeze(TupleArray);
freeze(TupleArray.prototype);

export const TuplePrototype: object = TupleArray.prototype;

/** An immutable sequence, Python's `tuple`: a frozen array that is serialized as a tuple. */
export function tuple<const Items extends readonly unknown[]>(...items: Items): Items {
  const made = openTuple();
  for (let at = 0; at < items.length; at++) defineData(made, at, items[at]);
  // For the caller, the class is the same as an array.
  return freeze(made) as unknown as Items;
}

/** Creates an empty tuple; the caller fills and freezes it. */
export function openTuple(): unknown[] {
  return new TupleArray();
}

export function isTuple(value: unknown): value is readonly unknown[] {
  return typeof value === 'object' && value !== null && TupleArray.is(value);
}

/** An immutable set, Python's `frozenset`: a `Set` whose mutating methods throw. */
export class FrozenSet<Item = unknown> extends Set<Item> {
  readonly #isFrozenSet = true;

  constructor(items?: Iterable<Item>) {
    super();
    if (items !== undefined) for (const item of items) super.add(item);
  }
  override add(): never {
    throw new TypeError('A FrozenSet does not change');
  }
  override delete(): never {
    throw new TypeError('A FrozenSet does not change');
  }
  override clear(): never {
    throw new TypeError('A FrozenSet does not change');
  }
  static is(value: object): boolean {
    return #isFrozenSet in value;
  }
}

/** A complex number. */
export class Complex {
  readonly #real: number;
  readonly #imag: number;

  constructor(real: number, imag: number) {
    if (typeof real !== 'number' || typeof imag !== 'number') {
      throw malformed('complex number', [real, imag]);
    }
    this.#real = real;
    this.#imag = imag;
    freeze(this);
  }
  get real(): number {
    return this.#real;
  }
  get imag(): number {
    return this.#imag;
  }
  toString(): string {
    return this.#real + (this.#imag < 0 ? '' : '+') + this.#imag + 'j';
  }
}

/** A decimal number, stored as the text of Python's `Decimal`: `1.10` stays `1.10`. */
export class Decimal {
  readonly #text: string;

  constructor(text: string) {
    const form = /^-?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:E[+-]?\d+)?|Infinity|s?NaN\d*)$/i;
    if (typeof text !== 'string' || execRegExp(form, text) === null) {
      throw malformed('decimal number', text);
    }
    this.#text = text;
    freeze(this);
  }
  /** The nearest double. */
  toNumber(): number {
    return Number(this.#text);
  }
  toString(): string {
    return this.#text;
  }
}

/** A path of Python's `pathlib`, as text. */
export class FilePath {
  readonly #text: string;

  constructor(text: string) {
    if (typeof text !== 'string') throw malformed('path', text);
    this.#text = text;
    freeze(this);
  }
  toString(): string {
    return this.#text;
  }
}

/** A calendar date without a time, such as `2024-01-02`: Python's `date`. Years 1 to 9999. */
export class CalendarDate {
  readonly #text: string;

  constructor(text: string) {
    if (typeof text !== 'string' || text.length !== 10 || readDay(text) === undefined) {
      throw malformed('date', text);
    }
    this.#text = text;
    freeze(this);
  }
  get year(): number {
    return Number(this.#text.slice(0, 4));
  }
  /** 1 to 12. */
  get month(): number {
    return Number(this.#text.slice(5, 7));
  }
  get day(): number {
    return Number(this.#text.slice(8));
  }
  toString(): string {
    return this.#text;
  }
}

/** A time of day, such as `03:04:05.678901`, with or without an offset: Python's `time`. */
export class WallTime {
  readonly #text: string;
  readonly #microsecond: number;

  constructor(text: string) {
    const reading = typeof text === 'string' ? readTime(text, 0, 0) : undefined;
    if (reading === undefined) throw malformed('time', text);
    this.#text = text;
    this.#microsecond = (reading.wallMs % 1000) * 1000 + reading.microseconds;
    freeze(this);
  }
  get hour(): number {
    return Number(this.#text.slice(0, 2));
  }
  get minute(): number {
    return Number(this.#text.slice(3, 5));
  }
  /** Whole seconds. */
  get second(): number {
    return Number(this.#text.slice(6, 8));
  }
  /** Microseconds after the whole second. */
  get microsecond(): number {
    return this.#microsecond;
  }
  toString(): string {
    return this.#text;
  }
}

/** A duration: Python's `timedelta`. */
export class TimeDelta {
  readonly #totalSeconds: number;

  constructor(totalSeconds: number) {
    if (!isFiniteNumber(totalSeconds)) throw malformed('timedelta', totalSeconds);
    this.#totalSeconds = totalSeconds;
    freeze(this);
  }
  /** Seconds, with fractions. */
  get totalSeconds(): number {
    return this.#totalSeconds;
  }
  get totalMilliseconds(): number {
    return this.#totalSeconds * 1000;
  }
}

/**
 * A `datetime` of Python that a `Date` cannot represent: one without an offset (naive), with
 * microseconds, or with an offset other than UTC. All others become a `Date`.
 */
export class DateTime {
  readonly #text: string;
  readonly #wallMs: number;
  readonly #offsetSeconds: number | undefined;

  constructor(text: string) {
    const reading = typeof text === 'string' ? readDateTime(text) : undefined;
    if (reading === undefined || readInstant(text) !== undefined) {
      throw malformed('datetime that needs more than a Date', text);
    }
    this.#text = text;
    this.#wallMs = reading.wallMs;
    this.#offsetSeconds = reading.offsetSeconds;
    freeze(this);
  }
  /** Whether it has no offset, so that it is not a definite instant. */
  get isNaive(): boolean {
    return this.#offsetSeconds === undefined;
  }
  /**
   * The instant without microseconds. For a naive time, the given offset applies; UTC by default.
   */
  toDate(offsetSeconds = 0): Date {
    return new Date(this.#wallMs - (this.#offsetSeconds ?? offsetSeconds) * 1000);
  }
  toString(): string {
    return this.#text;
  }
}

/** An array of numpy: nested lists as from `tolist()`, and the name of the element type. */
export class NdArray {
  readonly #data: unknown;
  readonly #dtype: string;

  constructor(data: unknown, dtype: string) {
    if (typeof dtype !== 'string') throw malformed('dtype', dtype);
    this.#data = data;
    this.#dtype = dtype;
    freeze(this);
  }
  /** Nested arrays; a scalar for an array without dimensions. */
  get data(): unknown {
    return this.#data;
  }
  /** Name of the element type, such as `float64` or `int32`. */
  get dtype(): string {
    return this.#dtype;
  }
  /** Lengths along the first element of each dimension. */
  get shape(): number[] {
    const shape: number[] = [];
    for (let at = this.#data; isArray(at); at = at[0]) shape.push(at.length);
    return shape;
  }
}

/** An instance of a Python dataclass: its fields, and the name of its class. */
export class Dataclass {
  readonly #className: string;
  readonly #module: string;
  readonly #fields: object;

  constructor(className: string, module: string, fields: object) {
    if (typeof className !== 'string' || typeof module !== 'string') {
      throw malformed('dataclass', className);
    }
    this.#className = className;
    this.#module = module;
    this.#fields = fields;
    freeze(this);
  }
  get className(): string {
    return this.#className;
  }
  get module(): string {
    return this.#module;
  }
  get fields(): object {
    return this.#fields;
  }
}

/** An image of Python's PIL, as PNG. */
export class PngImage {
  readonly #png: Uint8Array;

  constructor(png: Uint8Array) {
    this.#png = png;
    freeze(this);
  }
  get png(): Uint8Array {
    return this.#png;
  }
}

for (const valueClass of [
  FrozenSet,
  Complex,
  Decimal,
  FilePath,
  CalendarDate,
  WallTime,
  TimeDelta,
  DateTime,
  NdArray,
  Dataclass,
  PngImage,
]) {
  freeze(valueClass);
  freeze(valueClass.prototype);
}
