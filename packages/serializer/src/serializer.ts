import { CustomTypes, NO_CUSTOM_TYPES } from './custom-types.ts';
import type { CustomType } from './custom-types.ts';
import { decode } from './decode.ts';
import { encode } from './encode.ts';
import { isBuiltInTag } from './kind-registry.ts';
import { resolveSettings } from './settings.ts';
import type { SerializerOptions, Settings } from './settings.ts';
import type { UnsafeCodec } from './unsafe-codec.ts';

/** Serializes and deserializes with fixed options and custom types. */
export class SafeSerializer {
  readonly #customTypes = new CustomTypes();
  readonly #settings: Settings;

  /** Throws a `SerializationError` for an invalid option. */
  constructor(options: SerializerOptions = {}) {
    this.#settings = resolveSettings(options, this.#customTypes, this.unsafeCodec());
  }

  /** The codec for `unsafe:` text; this class has none. */
  protected unsafeCodec(): UnsafeCodec | undefined {
    return undefined;
  }

  /** Converts a value to text. Throws a `SerializationError` if it cannot be serialized exactly. */
  serialize(value: unknown): string {
    return encode(value, this.#settings);
  }

  /**
   * Converts text to its value. The caller states the type; it is not checked. Throws a
   * `SerializationError` for every text that a serializer with these options does not write.
   */
  deserialize<Value = unknown>(text: string): Value {
    return decode(text, this.#settings) as Value;
  }

  /** The same as `serialize`, by its name in Python. */
  dumps(value: unknown): string {
    return this.serialize(value);
  }

  /** The same as `deserialize`, by its name in Python. */
  loads<Value = unknown>(text: string): Value {
    return this.deserialize<Value>(text);
  }

  /** Adds a custom type. Both sides must register it by the same name. */
  register<Value extends object, Data>(type: CustomType<Value, Data>): this {
    this.#customTypes.add(type, isBuiltInTag);
    return this;
  }
}

let defaultSettings: Settings | undefined;

/** The settings for one call. */
export function settingsOf(
  options: SerializerOptions | undefined,
  unsafe: UnsafeCodec | undefined,
): Settings {
  if (options !== undefined) return resolveSettings(options, NO_CUSTOM_TYPES, unsafe);
  defaultSettings ??= resolveSettings({}, NO_CUSTOM_TYPES, undefined);
  return defaultSettings;
}

/** Converts a value to text: `safe:` and JSON. Throws a `SerializationError` if it cannot. */
export function serialize(value: unknown, options?: SerializerOptions): string {
  return encode(value, settingsOf(options, undefined));
}

/**
 * Converts text to its value. The caller states the type; it is not checked. Throws a
 * `SerializationError` for every text that `serialize` does not write.
 */
export function deserialize<Value = unknown>(text: string, options?: SerializerOptions): Value {
  return decode(text, settingsOf(options, undefined)) as Value;
}
