import { decode } from './decode.ts';
import { encode } from './encode.ts';
import { msgpack } from './msgpack.ts';
import { SafeSerializer as PureSerializer, settingsOf } from './serializer.ts';
import type { SerializerOptions } from './settings.ts';
import type { UnsafeCodec } from './unsafe-codec.ts';

/** Serializes and deserializes with fixed options and custom types; `unsafe:` text if allowed. */
export class SafeSerializer extends PureSerializer {
  protected override unsafeCodec(): UnsafeCodec {
    return msgpack;
  }
}

/**
 * Converts a value to text: `safe:` and JSON. Throws a `SerializationError` for a value that cannot
 * be serialized, unless `allowUnsafe` is set and `unsafe:` text can represent it.
 */
export function serialize(value: unknown, options?: SerializerOptions): string {
  return encode(value, settingsOf(options, msgpack));
}

/**
 * Converts text to its value. The caller states the type; it is not checked. Throws a
 * `SerializationError` for every text that `serialize` does not write with these options.
 */
export function deserialize<Value = unknown>(text: string, options?: SerializerOptions): Value {
  return decode(text, settingsOf(options, msgpack)) as Value;
}
