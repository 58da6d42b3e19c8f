import { NO_CUSTOM_TYPES } from './custom-types.ts';
import { decode } from './decode.ts';
import { encode } from './encode.ts';
import { ownField } from './primordials.ts';
import { checkLimit, resolveLimits } from './serializer-limits.ts';
import type { MutableLimits } from './serializer-limits.ts';
import { resolveSettings } from './settings.ts';
import type { SerializerOptions, Settings } from './settings.ts';

/**
 * Serializes and deserializes with fixed options and a limit of bytes per call, without creating new
 * settings per call. For channels on which each message has its own size limit.
 */
export class BoundedSerializer {
  readonly #limits: MutableLimits;
  readonly #settings: Settings;

  /** Throws a `SerializationError` for an invalid option. */
  constructor(options: SerializerOptions = {}) {
    this.#limits = resolveLimits(ownField(options, 'limits'));
    this.#settings = resolveSettings(options, NO_CUSTOM_TYPES, undefined, this.#limits);
  }

  /**
   * Converts a value to `safe:` text.
   *
   * @param maxBytes Maximum size of the text in UTF-8 with its prefix; overrides the options'
   * limit.
   */
  serialize(value: unknown, maxBytes: number): string {
    const before = this.#bound(maxBytes);
    try {
      return encode(value, this.#settings);
    } finally {
      // Restored, because a getter of the value may have called this serializer recursively.
      this.#limits.maxBytes = before;
    }
  }

  /**
   * Converts `safe:` text to its value. The caller states the type; it is not checked.
   *
   * @param maxBytes Maximum size of the text in UTF-8 with its prefix; overrides the options'
   * limit.
   */
  deserialize<Value = unknown>(text: string, maxBytes: number): Value {
    const before = this.#bound(maxBytes);
    try {
      return decode(text, this.#settings) as Value;
    } finally {
      this.#limits.maxBytes = before;
    }
  }

  #bound(maxBytes: number): number {
    checkLimit('maxBytes', maxBytes);
    const before = this.#limits.maxBytes;
    this.#limits.maxBytes = maxBytes;
    return before;
  }
}
