import { pathOf } from './path.ts';
import type { PathFrame } from './path.ts';
import { utf8Length as nativeUtf8Length } from './platform.ts';
import { charCodeAt, isInteger, ownField } from './primordials.ts';
import { SerializationError } from './serialization-error.ts';

/** Limits of a value. They apply to writing and reading, so text that was written can be read. */
export interface Limits {
  /** Maximum nesting depth of containers. Default 500. */
  readonly maxDepth: number;
  /** Maximum number of values, including holes of sparse arrays. Default 2 000 000. */
  readonly maxNodes: number;
  /** Maximum size of the text in UTF-8 with its prefix, in bytes. Default 64 MiB. */
  readonly maxBytes: number;
  /** Maximum number of decimal digits of a BigInt. Default 10 000. */
  readonly maxBigIntDigits: number;
  /** Maximum number of characters in the source of a RegExp. Default 20 000. */
  readonly maxRegExpLength: number;
  /**
   * Work of making all RegExps of one text, in units of about a microsecond: one a character, 500 for
   * each `\\p{…}`, more for those of strings and where classes ignore case. Default 100 000.
   */
  readonly maxRegExpWork: number;
}

export const DEFAULT_LIMITS: Limits = Object.freeze({
  maxDepth: 500,
  maxNodes: 2_000_000,
  maxBytes: 64 * 1024 * 1024,
  maxBigIntDigits: 10_000,
  maxRegExpLength: 20_000,
  maxRegExpWork: 100_000,
});

/** Largest `maxDepth`: a deeper recursion could overflow the default stack. */
const DEEPEST = 1_000;

/** Maximum length of a string in V8. */
const LONGEST_TEXT = 2 ** 29 - 24;

/** `Number.MAX_SAFE_INTEGER`. */
const MOST = 2 ** 53 - 1;

/** Limits that may change between calls. */
export type MutableLimits = { -readonly [Name in keyof Limits]: Limits[Name] };

/** Fills in the defaults, and refuses invalid limits. */
export function resolveLimits(given: Partial<Limits> = {}): MutableLimits {
  const limits = {
    maxDepth: ownField(given, 'maxDepth') ?? DEFAULT_LIMITS.maxDepth,
    maxNodes: ownField(given, 'maxNodes') ?? DEFAULT_LIMITS.maxNodes,
    maxBytes: ownField(given, 'maxBytes') ?? DEFAULT_LIMITS.maxBytes,
    maxBigIntDigits: ownField(given, 'maxBigIntDigits') ?? DEFAULT_LIMITS.maxBigIntDigits,
    maxRegExpLength: ownField(given, 'maxRegExpLength') ?? DEFAULT_LIMITS.maxRegExpLength,
    maxRegExpWork: ownField(given, 'maxRegExpWork') ?? DEFAULT_LIMITS.maxRegExpWork,
  };
  checkLimit('maxDepth', limits.maxDepth);
  checkLimit('maxNodes', limits.maxNodes);
  checkLimit('maxBytes', limits.maxBytes);
  checkLimit('maxBigIntDigits', limits.maxBigIntDigits);
  checkLimit('maxRegExpLength', limits.maxRegExpLength);
  checkLimit('maxRegExpWork', limits.maxRegExpWork);
  return limits;
}

/** Refuses an invalid value for a limit. */
export function checkLimit(name: keyof Limits, value: number): void {
  const most = name === 'maxDepth' ? DEEPEST : name === 'maxBytes' ? LONGEST_TEXT : MOST;
  if (isInteger(value) && value >= 0 && value <= most) return;
  throw new SerializationError(
    'UNSUPPORTED_TYPE',
    'The limit ' + name + ' must be an integer from 0 to ' + most,
    { value },
  );
}

export function limitError(
  limit: keyof Limits,
  allowed: number,
  used: number,
  frame: PathFrame | undefined,
): SerializationError {
  return new SerializationError('LIMIT', limit + ' is ' + allowed + ', needed at least ' + used, {
    path: pathOf(frame),
    limit,
    allowed,
    used,
  });
}

/**
 * Refuses text of more than `maxBytes` bytes in UTF-8. Counts bytes only if the length is not
 * enough.
 */
export function checkBytes(text: string, { maxBytes }: Limits): void {
  if (text.length * 3 <= maxBytes) return;
  if (text.length > maxBytes) throw limitError('maxBytes', maxBytes, text.length, undefined);
  const used = nativeUtf8Length === undefined ? utf8Length(text) : nativeUtf8Length(text);
  if (used > maxBytes) throw limitError('maxBytes', maxBytes, used, undefined);
}

/** A lone surrogate counts as three bytes, the size of its replacement character. */
function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = charCodeAt(text, at);
    if (code < 0x80) continue;
    bytes += code < 0x800 ? 1 : 2;
    const next = code >= 0xd800 && code < 0xdc00 ? charCodeAt(text, at + 1) : 0;
    if (next >= 0xdc00 && next < 0xe000) at++; // A surrogate pair: its 4 bytes are counted now.
  }
  return bytes;
}
