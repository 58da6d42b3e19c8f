import { charCodeAt, stringifyJson } from './primordials.ts';

/**
 * One container on the way from the root to the place being read or written. Frames form a linked
 * list, because a plain array could be watched through setters on `Array.prototype`.
 */
export interface Frame {
  readonly parent: Frame | undefined;
  /** The container itself: what a cycle is recognised by, and what it leads back to. */
  readonly container: object;
  /** Number of containers above this one. */
  readonly depth: number;
  /** How `key` leads to the child at hand. */
  kind: StepKind;
  key: unknown;
  /** Whether nothing within may lead back to the container. */
  isClosed: boolean;
}

/** `entry` is the value under a key of a Map, `key` the n-th key of a Map, `member` the n-th of a Set. */
export type StepKind = 'property' | 'index' | 'entry' | 'key' | 'member';

export function openFrame(parent: Frame | undefined, container: object, kind: StepKind): Frame {
  return {
    parent,
    container,
    depth: parent === undefined ? 0 : parent.depth + 1,
    kind,
    key: undefined,
    isClosed: false,
  };
}

/** Text of the path to the child that each frame is at: `.rows[3].when`, `.get("key")`. */
export function pathOf(frame: Frame | undefined): string {
  let path = '';
  for (let at = frame; at !== undefined; at = at.parent) path = stepText(at) + path;
  return path;
}

function stepText({ kind, key }: Frame): string {
  // The container itself is at hand, and no child of it.
  if (key === undefined && kind !== 'entry') return '';
  switch (kind) {
    case 'property':
      return propertyStep(key as string); // Frames of this kind have string keys.
    case 'index':
      return '[' + (key as number) + ']';
    case 'member':
      return '.member(' + (key as number) + ')';
    case 'key':
      return '.key(' + (key as number) + ')';
    case 'entry':
      return '.get(' + describeKey(key) + ')';
  }
}

function propertyStep(key: string): string {
  return isIdentifier(key) ? '.' + key : '[' + stringifyJson(key) + ']';
}

function isIdentifier(key: string): boolean {
  for (let at = 0; at < key.length; at++) {
    const code = charCodeAt(key, at);
    const isLetter = (code | 32) >= 97 && (code | 32) <= 122;
    const isDigit = code >= 48 && code <= 57;
    if (!isLetter && code !== 95 && code !== 36 && !(isDigit && at > 0)) return false;
  }
  return key !== '';
}

function describeKey(key: unknown): string {
  if (typeof key === 'string') return stringifyJson(key);
  if (typeof key === 'bigint') return key + 'n';
  const isObject = (typeof key === 'object' && key !== null) || typeof key === 'function';
  return isObject || typeof key === 'symbol' ? typeof key : '' + (key as number | null | undefined);
}
