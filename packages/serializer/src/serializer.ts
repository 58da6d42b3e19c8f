import { CustomTypes, NO_CUSTOM_TYPES } from './custom-types.ts';
import type { CustomType } from './custom-types.ts';
import { decode } from './decode.ts';
import { encode } from './encode.ts';
import { isBuiltInTag } from './kind-registry.ts';
import { resolveSettings } from './settings.ts';
import type { SerializerOptions, Settings } from './settings.ts';
import type { UnsafeCodec } from './unsafe-codec.ts';

/** Writes and reads with the same options and custom types. */
export class SafeSerializer {
  readonly #customTypes = new CustomTypes();
  readonly #settings: Settings;

  /** Throws a `SerializationError` for an option that cannot be. */
  constructor(options: SerializerOptions = {}) {
    this.#settings = resolveSettings(options, this.#customTypes, this.unsafeCodec());
  }

  /** What the `unsafe:` text of this serializer is made with; here there is none. */
  protected unsafeCodec(): UnsafeCodec | undefined {
    return undefined;
  }

  /** Text of a value. Throws a `SerializationError` for what cannot be carried exactly. */
  serialize(value: unknown): string {
    return encode(value, this.#settings);
  }

  /**
   * The value of a text. The type is the caller's claim; nothing checks it. Throws a
   * `SerializationError` for every text that no serializer with these options has written.
   */
  deserialize<Value = unknown>(text: string): Value {
    return decode(text, this.#settings) as Value;
  }

  /** `serialize`, by its name in Python. */
  dumps(value: unknown): string {
    return this.serialize(value);
  }

  /** `deserialize`, by its name in Python. */
  loads<Value = unknown>(text: string): Value {
    return this.deserialize<Value>(text);
  }

  /** Adds a type of the caller's. Both sides need it, under the same name. */
  register<Value extends object, Data>(type: CustomType<Value, Data>): this {
    this.#customTypes.add(type, isBuiltInTag);
    return this;
  }
}

let defaultSettings: Settings | undefined;

/** Settings of one call. */
export function settingsOf(
  options: SerializerOptions | undefined,
  unsafe: UnsafeCodec | undefined,
): Settings {
  if (options !== undefined) return resolveSettings(options, NO_CUSTOM_TYPES, unsafe);
  defaultSettings ??= resolveSettings({}, NO_CUSTOM_TYPES, undefined);
  return defaultSettings;
}

/** Text of a value: `safe:` and JSON. Throws a `SerializationError` for what cannot be carried. */
export function serialize(value: unknown, options?: SerializerOptions): string {
  return encode(value, settingsOf(options, undefined));
}

/**
 * The value of a text. The type is the caller's claim; nothing checks it. Throws a
 * `SerializationError` for every text that `serialize` does not write.
 */
export function deserialize<Value = unknown>(text: string, options?: SerializerOptions): Value {
  return decode(text, settingsOf(options, undefined)) as Value;
}
