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
 * The fast path: data that `JSON.stringify` carries exactly is found by one look at all of it, and
 * then handed over as it is, but for its dates: what holds one is copied, with the tag in its place.
 * Everything else, including all that is to be refused, is left to the writer, which knows the
 * reason and the path.
 */

/** Says that the writer is to write the value. */
export const NOT_PLAIN: unique symbol = Symbol('not plain');

/** Texts of so many characters in all, and on average so many in each value, are quoted by the writer. */
const MUCH_TEXT = 65_536;
const LONG_TEXTS = 256;

let nodesLeft = 0;
let charactersLeft = 0;
let tagsDates = true;

/**
 * A value of which `JSON.stringify` writes what the writer would write of this one.
 *
 * @param keepsDates Whether dates are the writer's, as somebody's own type may be for them.
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
    // `JSON.stringify` would ask an inherited `toJSON` for what to write instead.
    if ((ArrayPrototype as { toJSON?: unknown }).toJSON !== undefined) return NOT_PLAIN;
    const characters = limits.maxBytes - charactersLeft;
    return characters > MUCH_TEXT && characters > LONG_TEXTS * (limits.maxNodes - nodesLeft)
      ? NOT_PLAIN
      : plain;
  } catch {
    // A getter threw, or a Proxy is revoked: the writer says where.
    return NOT_PLAIN;
  }
}

/** The same for what has no properties, and so can be neither a Proxy nor anybody's own type. */
export function toPlainScalar(value: unknown, { maxNodes }: Limits): unknown {
  const isPlain =
    typeof value === 'number'
      ? value - value === 0 && (value !== 0 || 1 / value > 0)
      : typeof value === 'string' || typeof value === 'boolean' || value === null;
  return isPlain && maxNodes > 0 ? value : NOT_PLAIN;
}

// What JSON does not see is looked for at the root, and in objects that look empty or nearly so:
// looking everywhere takes longer than writing. The option `thorough` does.

/** From so many elements on, the keys of an array take too long to list. */
const MANY = 64;

function hasOnlyElements(value: readonly unknown[]): boolean {
  return ownKeys(value).length === value.length + 1;
}

/** `count` is what a loop over the keys has found, of prototypes, too. */
function hasOnlyNames(value: object, count: number): boolean {
  return getOwnPropertyNames(value).length === count && getOwnPropertySymbols(value).length === 0;
}

function plainRootArray(value: unknown[], depthLeft: number): unknown {
  return value.length > MANY || hasOnlyElements(value) ? plainArray(value, depthLeft) : NOT_PLAIN;
}

/**
 * A prototype is read by the accessor, which takes a fifth of the time of `Object.getPrototypeOf`.
 * Where that accessor is gone, or an object has another property of its name, the writer writes.
 */
interface Inheriting {
  readonly __proto__?: object | null;
}

// Two functions that call each other, with every test written out in both: calls would cost more
// than all that they do. A copy is made at the first date: its properties and elements are its own,
// so that putting a tag in their place runs no setter.

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

/** Whether parsed JSON has no more containers within containers than that. */
export function isShallow(parsed: unknown, maxDepth: number): boolean {
  if (typeof parsed !== 'object' || parsed === null) return true;
  return isShallowContainer(parsed, maxDepth);
}

// In two functions for the same reason; what is no container makes no call.

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
