import { Blobs, cutBlobs } from './blobs.ts';
import { pathOf } from './path.ts';
import { isShallow } from './plain.ts';
import { PICKLE_PREFIX, SAFE_PREFIX, UNSAFE_PREFIX } from './prefix.ts';
import { indexOf, parseJson, slice, startsWith } from './primordials.ts';
import { replacePythonTokens } from './python-tokens.ts';
import { Reader } from './reader.ts';
import { SerializationError } from './serialization-error.ts';
import { checkBytes, limitError } from './serializer-limits.ts';
import type { Limits } from './serializer-limits.ts';
import type { Settings } from './settings.ts';
import { TAG_KEY } from './tags.ts';
import { isRunOfBrackets } from './text-depth.ts';

/** Reads `safe:` text, and `unsafe:` text if the caller allows it. */
export function decode(text: string, settings: Settings): unknown {
  requireText(text);
  checkBytes(text, settings.limits);
  // Done first: searching flattens a concatenated string, and is the cheapest way to do that.
  const isTagged = mayHoldTag(text);
  if (startsWith(text, SAFE_PREFIX))
    return read(slice(text, SAFE_PREFIX.length), isTagged, settings);
  if (settings.unsafe !== undefined && startsWith(text, UNSAFE_PREFIX)) {
    return settings.unsafe.decode(slice(text, UNSAFE_PREFIX.length));
  }
  throw refusal(text);
}

function read(json: string, isTagged: boolean, settings: Settings): unknown {
  const { isPython, limits } = settings;
  if (!isPython && !isTagged) {
    const parsed = parse(json, limits);
    // A text this short cannot contain too many values or nest too deeply.
    if (json.length <= 2 * limits.maxDepth && json.length <= limits.maxNodes) return parsed;
    if (json.length <= 2 * limits.maxNodes && isShallow(parsed, limits.maxDepth)) return parsed;
    return revive(parsed, settings, undefined);
  }
  const blobs = new Blobs();
  const skeleton = cutBlobs(json, blobs);
  return revive(
    parse(isPython ? replacePythonTokens(skeleton) : skeleton, limits),
    settings,
    blobs,
  );
}

/** Whether a key may be the tag key. Searching its name without the quotes is faster. */
function mayHoldTag(text: string): boolean {
  // Letters of the name may be escaped as `\u…`. Searching one character is faster than two.
  return indexOf(text, TAG_KEY) >= 0 || (indexOf(text, '\\') >= 0 && indexOf(text, '\\u') >= 0);
}

function revive(parsed: unknown, settings: Settings, blobs: Blobs | undefined): unknown {
  const reader = new Reader(settings, blobs);
  try {
    return reader.readRoot(parsed);
  } catch (cause) {
    throw refusalOf(cause, reader);
  }
}

/** The error for an exception of a pass. */
export function refusalOf(cause: unknown, reader: Reader): SerializationError {
  return SerializationError.is(cause)
    ? cause
    : new SerializationError('MALFORMED', 'Reading the text threw', {
        path: pathOf(reader.at),
        cause,
      });
}

export function requireText(text: unknown): asserts text is string {
  if (typeof text === 'string') return;
  throw new SerializationError('BAD_PREFIX', 'Only a string can be read', { value: text });
}

/** The error for a text that does not begin with `safe:`. */
export function refusal(text: string): SerializationError {
  if (startsWith(text, UNSAFE_PREFIX)) {
    return new SerializationError(
      'UNSAFE_REJECTED',
      'This is unsafe: text, which is read only where allowUnsafe is set',
    );
  }
  if (startsWith(text, PICKLE_PREFIX)) {
    return new SerializationError(
      'UNSAFE_REJECTED',
      'This is a pickle of Python, which runs code when it is read, and is never read',
    );
  }
  return new SerializationError('BAD_PREFIX', 'The text does not begin with safe:', {
    value: slice(text, 0, 32),
  });
}

function parse(json: string, { maxDepth }: Limits): unknown {
  if (json.length > 2 * maxDepth && isRunOfBrackets(json, maxDepth)) {
    throw limitError('maxDepth', maxDepth, maxDepth + 1, undefined);
  }
  try {
    return parseJson(json);
  } catch (cause) {
    throw new SerializationError('MALFORMED', 'The text is not JSON', { cause });
  }
}
