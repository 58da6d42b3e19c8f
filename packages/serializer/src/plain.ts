import { dateTag } from './kinds/dates.ts';
import { isProxy } from './platform.ts';
import {
  ArrayPrototype,
  copyArray,
  DatePrototype,
  getOwnPropertyNames,
  getOwnPropertySymbols,
  isArray,
  ObjectPrototype,
  ownKeys,
} from './primordials.ts';
import type { Limits } from './serializer-limits.ts';
import { TAG_KEY } from './tags.ts';

/**
 * The fast path. One traversal finds data that `JSON.stringify` represents exactly, and passes it
 * on unchanged; only containers of dates are copied, with tags in place of the dates. All other
 * values, including unsupported ones, are left to the writer, which reports the reason and the
 * path.
 */

/** Means that the writer must write the value. */
export const NOT_PLAIN: unique symbol = Symbol('not plain');

/** More characters than this, with more than `LONG_TEXTS` per value, go to the writer. */
const MUCH_TEXT = 65_536;
/** Average number of characters per value above which the writer quotes text faster. */
const LONG_TEXTS = 256;

let nodesLeft = 0;
let charactersLeft = 0;
let tagsDates = true;

/**
 * Returns a value for which `JSON.stringify` writes the same text as the writer for `value`, or
 * `NOT_PLAIN`.
 *
 * @param keepsDates Whether dates are left to the writer, because a custom type may handle them.
 */
export function toPlainJson(value: unknown, limits: Limits, keepsDates: boolean): unknown {
  if (typeof value !== 'object' || value === null) return toPlainScalar(value, limits);
  tagsDates = !keepsDates;
  nodesLeft = limits.maxNodes - 1;
  charactersLeft = limits.maxBytes;
  try {
    const plain = isArray(value)
      ? plainRootArray(value, limits.maxDepth)
      : plainObject(value, limits.maxDepth, true);
    // `JSON.stringify` would call an inherited `toJSON`.
    if ((ArrayPrototype as { toJSON?: unknown }).toJSON !== undefined) return NOT_PLAIN;
    const characters = limits.maxBytes - charactersLeft;
    return characters > MUCH_TEXT && characters > LONG_TEXTS * (limits.maxNodes - nodesLeft)
      ? NOT_PLAIN
      : plain;
  } catch {
    // A getter threw or a Proxy is revoked: the writer reports the path.
    return NOT_PLAIN;
  }
}

/** The same for values that are not objects. */
export function toPlainScalar(value: unknown, { maxNodes }: Limits): unknown {
  const isPlain =
    typeof value === 'number'
      ? value - value === 0 && (value !== 0 || 1 / value > 0)
      : typeof value === 'string' || typeof value === 'boolean' || value === null;
  return isPlain && maxNodes > 0 ? value : NOT_PLAIN;
}

// Properties that JSON ignores are searched only at the root and in objects with at most one
// visible key: searching everywhere takes longer than writing. The option `thorough` searches
// everywhere.

/** Above this number of elements, listing the keys of an array takes too long. */
const MANY = 64;

function hasOnlyElements(value: readonly unknown[]): boolean {
  return ownKeys(value).length === value.length + 1;
}

/** `count` is the number of keys that a `for…in` loop has found, including inherited keys. */
function hasOnlyNames(value: object, count: number): boolean {
  return getOwnPropertyNames(value).length === count && getOwnPropertySymbols(value).length === 0;
}

function plainRootArray(value: unknown[], depthLeft: number): unknown {
  return value.length > MANY || hasOnlyElements(value) ? plainArray(value, depthLeft) : NOT_PLAIN;
}

/**
 * The `__proto__` accessor takes a fifth of the time of `Object.getPrototypeOf`. If the accessor
 * was removed, or an object has its own `__proto__`, the result differs and the writer takes over.
 */
interface Inheriting {
  readonly __proto__?: object | null;
}

// Two mutually recursive functions with duplicated checks: shared helper functions would cost more
// than the checks. A copy is made at the first date. It has its own properties and elements, so
// replacing one by a tag runs no setter.

function plainArray(value: unknown[], depthLeft: number): unknown {
  if (depthLeft === 0 || (value as Inheriting).__proto__ !== ArrayPrototype || isProxy(value))
    return NOT_PLAIN;
  const { length } = value;
  nodesLeft -= length;
  if (nodesLeft < 0) return NOT_PLAIN;
  let copy: unknown[] | undefined;
  let characters = 0;
  for (let at = 0; at < length; at++) {
    const child = value[at];
    if (typeof child === 'object') {
      if (child === null) continue;
      const plain = isArray(child)
        ? plainArray(child, depthLeft - 1)
        : plainObject(child, depthLeft - 1, false);
      if (plain === child) continue;
      if (plain === NOT_PLAIN) return NOT_PLAIN;
      copy ??= copyArray(value);
      copy[at] = plain;
    } else if (typeof child === 'string') {
      characters += child.length;
    } else if (typeof child === 'number') {
      if (child - child !== 0 || (child === 0 && 1 / child < 0)) return NOT_PLAIN;
    } else if (typeof child !== 'boolean') {
      return NOT_PLAIN;
    }
  }
  charactersLeft -= characters;
  return charactersLeft >= 0 ? (copy ?? value) : NOT_PLAIN;
}

function plainObject(value: object, depthLeft: number, isRoot: boolean): unknown {
  if (depthLeft === 0 || isProxy(value)) return NOT_PLAIN;
  const prototype = (value as Inheriting).__proto__;
  if (prototype !== ObjectPrototype) {
    return prototype === DatePrototype && tagsDates ? (dateTag(value) ?? NOT_PLAIN) : NOT_PLAIN;
  }
  let copy: Record<string, unknown> | undefined;
  let nodes = 0;
  let characters = 0;
  for (const key in value) {
    if (key === TAG_KEY) return NOT_PLAIN;
    nodes++;
    const child = (value as Record<string, unknown>)[key];
    if (typeof child === 'object') {
      if (child === null) continue;
      const plain = isArray(child)
        ? plainArray(child, depthLeft - 1)
        : plainObject(child, depthLeft - 1, false);
      if (plain === child) continue;
      if (plain === NOT_PLAIN) return NOT_PLAIN;
      copy ??= { ...value };
      copy[key] = plain;
    } else if (typeof child === 'string') {
      characters += child.length;
    } else if (typeof child === 'number') {
      if (child - child !== 0 || (child === 0 && 1 / child < 0)) return NOT_PLAIN;
    } else if (typeof child !== 'boolean') {
      return NOT_PLAIN;
    }
  }
  nodesLeft -= nodes;
  charactersLeft -= characters;
  return nodesLeft >= 0 &&
    charactersLeft >= 0 &&
    ((nodes > 1 && !isRoot) || hasOnlyNames(value, nodes))
    ? (copy ?? value)
    : NOT_PLAIN;
}

/** Whether parsed JSON is nested at most `maxDepth` deep. */
export function isShallow(parsed: unknown, maxDepth: number): boolean {
  if (typeof parsed !== 'object' || parsed === null) return true;
  return isShallowContainer(parsed, maxDepth);
}

// Two functions for the same reason; they are called only for containers.

function isShallowContainer(value: object, depthLeft: number): boolean {
  if (depthLeft === 0) return false;
  return isArray(value)
    ? isShallowArray(value, depthLeft - 1)
    : isShallowObject(value, depthLeft - 1);
}

function isShallowArray(value: readonly unknown[], depthLeft: number): boolean {
  for (let at = 0; at < value.length; at++) {
    const child = value[at];
    if (typeof child === 'object' && child !== null && !isShallowContainer(child, depthLeft)) {
      return false;
    }
  }
  return true;
}

function isShallowObject(value: object, depthLeft: number): boolean {
  for (const key in value) {
    const child = (value as Record<string, unknown>)[key];
    if (typeof child === 'object' && child !== null && !isShallowContainer(child, depthLeft)) {
      return false;
    }
  }
  return true;
}
