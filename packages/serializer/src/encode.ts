import { pathOf } from './path.ts';
import { NOT_PLAIN, toPlainJson, toPlainScalar } from './plain.ts';
import { SAFE_PREFIX, UNSAFE_PREFIX } from './prefix.ts';
import { stringifyJson } from './primordials.ts';
import { SerializationError } from './serialization-error.ts';
import { checkBytes } from './serializer-limits.ts';
import type { Settings } from './settings.ts';
import type { UnsafeCodec } from './unsafe-codec.ts';
import { Writer } from './writer.ts';

/** Writes a value as `safe:` text; if that fails and the caller allows it, as `unsafe:` text. */
export function encode(value: unknown, settings: Settings): string {
  const { customTypes, hasFastPath, isNativeTree, limits } = settings;
  let plain: unknown = NOT_PLAIN;
  if (hasFastPath) plain = toPlainJson(value, limits, !customTypes.isEmpty);
  else if (isNativeTree) plain = toPlainScalar(value, limits);
  let text: string;
  if (plain !== NOT_PLAIN) {
    text = SAFE_PREFIX + stringifyJson(plain);
  } else if (settings.unsafe === undefined) {
    text = SAFE_PREFIX + write(value, settings);
  } else {
    text = writeEither(value, settings, settings.unsafe);
  }
  checkBytes(text, limits);
  return text;
}

function writeEither(value: unknown, settings: Settings, unsafe: UnsafeCodec): string {
  try {
    return SAFE_PREFIX + write(value, settings);
  } catch (error) {
    // `unsafe:` text must not bypass a limit.
    if (SerializationError.is(error) && error.code === 'LIMIT') throw error;
    return UNSAFE_PREFIX + unsafe.encode(value);
  }
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
