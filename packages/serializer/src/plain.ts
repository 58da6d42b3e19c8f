import type { Limits } from './limits.ts';
import { isProxy } from './platform.ts';
import {
  ArrayConstructor,
  ArrayPrototype,
  getOwnPropertyNames,
  getOwnPropertySymbols,
  getPrototypeOf,
  isArray,
  ObjectPrototype,
  ownKeys,
} from './primordials.ts';
import { TAG_KEY } from './tags.ts';

/**
 * The fast path: data that `JSON.stringify` carries exactly is found by one look at all of it, and
 * then handed over as it is. Everything else, including all that is to be refused, is left to the
 * writer, which knows the reason and the path.
 */

let nodesLeft = 0;
let charactersLeft = 0;

/** Whether `JSON.stringify` writes what the writer would write. */
export function isPlainJson(value: unknown, limits: Limits): boolean {
  nodesLeft = limits.maxNodes - 1;
  if (nodesLeft < 0) return false;
  if (typeof value !== 'object' || value === null) return isPlainScalar(value);
  charactersLeft = limits.maxBytes;
  try {
    const isPlain = isArray(value)
      ? isPlainArray(value, limits.maxDepth) && (value.length > MANY || hasOnlyElements(value))
      : isPlainObject(value, limits.maxDepth, true);
    // `JSON.stringify` would ask an inherited `toJSON` for what to write instead.
    return isPlain && (ArrayPrototype as { toJSON?: unknown }).toJSON === undefined;
  } catch {
    // A getter threw, or a Proxy is revoked: the writer says where.
    return false;
  }
}

function isPlainScalar(value: unknown): boolean {
  if (typeof value === 'number') return value - value === 0 && (value !== 0 || 1 / value > 0);
  return typeof value === 'string' || typeof value === 'boolean' || value === null;
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

// Two functions that call each other, with every test written out in both: calls would cost more
// than all that they do.

function isPlainArray(value: readonly unknown[], depthLeft: number): boolean {
  // A subclass is told by its `constructor`, at a fifth of the time that its prototype takes.
  if (
    depthLeft === 0 ||
    (value as { constructor?: unknown }).constructor !== ArrayConstructor ||
    isProxy(value)
  )
    return false;
  const { length } = value;
  nodesLeft -= length;
  if (nodesLeft < 0) return false;
  let characters = 0;
  for (let at = 0; at < length; at++) {
    const child = value[at];
    if (typeof child === 'object') {
      if (child === null) continue;
      if (
        !(isArray(child)
          ? isPlainArray(child, depthLeft - 1)
          : isPlainObject(child, depthLeft - 1, false))
      ) {
        return false;
      }
    } else if (typeof child === 'string') {
      characters += child.length;
    } else if (typeof child === 'number') {
      if (child - child !== 0 || (child === 0 && 1 / child < 0)) return false;
    } else if (typeof child !== 'boolean') {
      return false;
    }
  }
  charactersLeft -= characters;
  return charactersLeft >= 0;
}

function isPlainObject(value: object, depthLeft: number, isRoot: boolean): boolean {
  if (depthLeft === 0 || getPrototypeOf(value) !== ObjectPrototype || isProxy(value)) return false;
  let nodes = 0;
  let characters = 0;
  for (const key in value) {
    if (key === TAG_KEY) return false;
    nodes++;
    const child = (value as Record<string, unknown>)[key];
    if (typeof child === 'object') {
      if (child === null) continue;
      if (
        !(isArray(child)
          ? isPlainArray(child, depthLeft - 1)
          : isPlainObject(child, depthLeft - 1, false))
      ) {
        return false;
      }
    } else if (typeof child === 'string') {
      characters += child.length;
    } else if (typeof child === 'number') {
      if (child - child !== 0 || (child === 0 && 1 / child < 0)) return false;
    } else if (typeof child !== 'boolean') {
      return false;
    }
  }
  nodesLeft -= nodes;
  charactersLeft -= characters;
  return (
    nodesLeft >= 0 && charactersLeft >= 0 && ((nodes > 1 && !isRoot) || hasOnlyNames(value, nodes))
  );
}

/** Whether parsed JSON has no more containers within containers than that. */
export function isShallow(value: unknown, depthLeft: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return isArray(value) ? isShallowArray(value, depthLeft) : isShallowObject(value, depthLeft);
}

function isShallowArray(value: readonly unknown[], depthLeft: number): boolean {
  if (depthLeft === 0) return false;
  for (let at = 0; at < value.length; at++) {
    const child = value[at];
    if (typeof child !== 'object' || child === null) continue;
    if (
      !(isArray(child)
        ? isShallowArray(child, depthLeft - 1)
        : isShallowObject(child, depthLeft - 1))
    ) {
      return false;
    }
  }
  return true;
}

function isShallowObject(value: object, depthLeft: number): boolean {
  if (depthLeft === 0) return false;
  for (const key in value) {
    const child = (value as Record<string, unknown>)[key];
    if (typeof child !== 'object' || child === null) continue;
    if (
      !(isArray(child)
        ? isShallowArray(child, depthLeft - 1)
        : isShallowObject(child, depthLeft - 1))
    ) {
      return false;
    }
  }
  return true;
}
