import { decode } from './decode.ts';
import { encode } from './encode.ts';
import { msgpack } from './msgpack.ts';
import { SafeSerializer as PureSerializer, settingsOf } from './serializer.ts';
import type { SerializerOptions } from './settings.ts';
import type { UnsafeCodec } from './unsafe-codec.ts';

/** Writes and reads with the same options and custom types; `unsafe:` text where it is allowed. */
export class SafeSerializer extends PureSerializer {
  protected override unsafeCodec(): UnsafeCodec {
    return msgpack;
  }
}

/**
 * Text of a value: `safe:` and JSON. Throws a `SerializationError` for what cannot be carried,
 * unless `allowUnsafe` is set and `unsafe:` text can carry it.
 */
export function serialize(value: unknown, options?: SerializerOptions): string {
  return encode(value, settingsOf(options, msgpack));
}

/**
 * The value of a text. The type is the caller's claim; nothing checks it. Throws a
 * `SerializationError` for every text that `serialize` does not write with these options.
 */
export function deserialize<Value = unknown>(text: string, options?: SerializerOptions): Value {
  return decode(text, settingsOf(options, msgpack)) as Value;
}
