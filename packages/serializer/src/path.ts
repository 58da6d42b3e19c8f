import { charCodeAt, stringifyJson } from './primordials.ts';

/**
 * One container on the path from the root to the value that is being read or written. Frames form a
 * linked list, because setters on `Array.prototype` could observe an array.
 */
export interface PathFrame {
  readonly parent: PathFrame | undefined;
  /** The container itself, by which cycles are recognised. */
  readonly container: object;
  /** Number of outer containers. */
  readonly depth: number;
  /** How `key` selects the current child. */
  kind: StepKind;
  key: unknown;
  /** Whether cycles to this container are not allowed. */
  isClosed: boolean;
}

/** `entry`: value of a Map by its key. `key`: n-th key of a Map. `member`: n-th member of a Set. */
export type StepKind = 'property' | 'index' | 'entry' | 'key' | 'member';

export function openFrame(
  parent: PathFrame | undefined,
  container: object,
  kind: StepKind,
): PathFrame {
  return {
    parent,
    container,
    depth: parent === undefined ? 0 : parent.depth + 1,
    kind,
    key: undefined,
    isClosed: false,
  };
}

/** The path to the current child as text, such as `.rows[3].when` or `.get("key")`. */
export function pathOf(frame: PathFrame | undefined): string {
  let path = '';
  for (let at = frame; at !== undefined; at = at.parent) path = stepText(at) + path;
  return path;
}

function stepText({ kind, key }: PathFrame): string {
  // The current value is the container itself, not a child.
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
