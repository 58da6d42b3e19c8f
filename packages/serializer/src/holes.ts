import type { WireNode } from './kinds/read-pass.ts';
import { defineData, deleteProperty, hasOwn } from './primordials.ts';
import { TAG_KEY } from './tags.ts';

/** Whether an element of a parsed array represents holes. */
export function isHole(element: unknown): element is WireNode {
  if (typeof element !== 'object' || element === null) return false;
  const node = element as WireNode; // Arrays have no such key of their own.
  return hasOwn(element, TAG_KEY) && node[TAG_KEY] === 'hole';
}

/** Extends an array to a length with holes. */
export function endWithHoles(value: unknown[], length: number): void {
  if (length <= value.length) return;
  // Defining and deleting a far element makes the array sparse. Setting only the length could
  // allocate memory for all elements.
  defineData(value, length - 1, undefined);
  deleteProperty(value, length - 1);
}
