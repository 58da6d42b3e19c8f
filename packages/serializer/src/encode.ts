import { SerializationError } from './errors.ts';
import { checkBytes } from './limits.ts';
import { pathOf } from './path.ts';
import { stringifyJson } from './primordials.ts';
import type { Settings } from './settings.ts';
import { SAFE_PREFIX } from './prefix.ts';
import { Writer } from './writer.ts';

/** Writes a value as `safe:` text. */
export function encode(value: unknown, settings: Settings): string {
  const text = SAFE_PREFIX + write(value, settings);
  checkBytes(text, settings.limits);
  return text;
}

function write(value: unknown, settings: Settings): string {
  const writer = new Writer(settings);
  try {
    return writer.writeRoot(value);
  } catch (cause) {
    if (SerializationError.is(cause)) throw cause;
    throw new SerializationError('UNSUPPORTED_TYPE', 'Reading the value threw', {
      path: pathOf(writer.at),
      value: writer.at?.container ?? value,
      cause,
    });
  }
}
