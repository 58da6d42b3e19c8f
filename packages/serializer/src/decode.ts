import { Blobs, cutBlobs } from './blobs.ts';
import { SerializationError } from './errors.ts';
import { checkBytes } from './limits.ts';
import { pathOf } from './path.ts';
import { parseJson, slice, startsWith } from './primordials.ts';
import { PICKLE_PREFIX, SAFE_PREFIX, UNSAFE_PREFIX } from './prefix.ts';
import { replacePythonTokens } from './python-tokens.ts';
import { Reader } from './reader.ts';
import type { Settings } from './settings.ts';

/** Reads `safe:` text. */
export function decode(text: string, settings: Settings): unknown {
  requireSafePrefix(text);
  checkBytes(text, settings.limits);
  const blobs = new Blobs();
  const json = cutBlobs(slice(text, SAFE_PREFIX.length), blobs);
  const parsed = parse(settings.isPython ? replacePythonTokens(json) : json);
  const reader = new Reader(settings, blobs);
  try {
    return reader.readRoot(parsed);
  } catch (cause) {
    if (SerializationError.is(cause)) throw cause;
    throw new SerializationError('MALFORMED', 'Reading the text threw', {
      path: pathOf(reader.at),
      cause,
    });
  }
}

function requireSafePrefix(text: unknown): asserts text is string {
  if (typeof text !== 'string') {
    throw new SerializationError('BAD_PREFIX', 'Only a string can be read', { value: text });
  }
  if (startsWith(text, SAFE_PREFIX)) return;
  if (startsWith(text, UNSAFE_PREFIX)) {
    throw new SerializationError(
      'UNSAFE_REJECTED',
      'This is unsafe: text, which is read only where allowUnsafe is set',
    );
  }
  if (startsWith(text, PICKLE_PREFIX)) {
    throw new SerializationError(
      'UNSAFE_REJECTED',
      'This is a pickle of Python, which runs code when it is read, and is never read',
    );
  }
  throw new SerializationError('BAD_PREFIX', 'The text does not begin with safe:', {
    value: slice(text, 0, 32),
  });
}

function parse(json: string): unknown {
  try {
    return parseJson(json);
  } catch (cause) {
    throw new SerializationError('MALFORMED', 'The text is not JSON', { cause });
  }
}
