import type { PathFrame } from '../path.ts';
import { BufferConstructor } from '../platform.ts';
import {
  DatePrototype,
  getPrototypeOf,
  NumberConstructor,
  setAdd,
  SetConstructor,
  setHas,
  toBigInt,
} from '../primordials.ts';
import {
  CalendarDate,
  Complex,
  DateTime,
  Decimal,
  FilePath,
  FrozenSet,
  isTuple,
  TimeDelta,
  WallTime,
} from '../special-values.ts';
import type { WritePass } from './write-pass.ts';

const Uint8ArrayPrototype = Uint8Array.prototype;
const BufferPrototype = BufferConstructor?.prototype;

function isHashable(prototype: object | null): boolean {
  return (
    prototype === DatePrototype ||
    prototype === Uint8ArrayPrototype ||
    prototype === CalendarDate.prototype ||
    prototype === Complex.prototype ||
    prototype === DateTime.prototype ||
    prototype === Decimal.prototype ||
    prototype === FilePath.prototype ||
    prototype === FrozenSet.prototype ||
    prototype === TimeDelta.prototype ||
    prototype === WallTime.prototype ||
    (BufferPrototype !== undefined && prototype === BufferPrototype)
  );
}

/**
 * Checks the keys of one dict or the members of one set by the rules of Python: they must be
 * hashable, and Python compares them by value, so `1`, `1n` and `true` are equal.
 */
export class PythonKeys {
  readonly #writer: WritePass;
  readonly #seen = new SetConstructor<string>();

  constructor(writer: WritePass) {
    this.#writer = writer;
  }

  requireHashable(key: unknown, frame: PathFrame): void {
    if (typeof key !== 'object' || key === null) return;
    if (isTuple(key)) {
      for (let at = 0; at < key.length; at++) this.requireHashable(key[at], frame);
      return;
    }
    if (!isHashable(getPrototypeOf(key))) {
      throw this.#writer.unsupported('what Python cannot hash', key, frame);
    }
  }

  /** Refuses a key that is equal to an earlier key in Python. */
  requireDistinct(key: unknown, text: string, frame: PathFrame): void {
    const name = pythonName(key, text);
    if (setHas(this.#seen, name)) {
      throw this.#writer.unsupported('two keys that are equal in Python', key, frame);
    }
    setAdd(this.#seen, name);
  }
}

/** A text that is the same for all primitives that are equal in Python. */
function pythonName(key: unknown, text: string): string {
  if (typeof key === 'boolean') return key ? '1' : '0';
  if (typeof key === 'number') return '' + key;
  if (typeof key !== 'bigint') return text;
  const nearest = NumberConstructor(key);
  return nearest - nearest === 0 && toBigInt(nearest) === key ? '' + nearest : text;
}
