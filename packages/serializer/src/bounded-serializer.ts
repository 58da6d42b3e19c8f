import { NO_CUSTOM_TYPES } from './custom-types.ts';
import { decode } from './decode.ts';
import { encode } from './encode.ts';
import { ownField } from './primordials.ts';
import { checkLimit, resolveLimits } from './serializer-limits.ts';
import type { MutableLimits } from './serializer-limits.ts';
import { resolveSettings } from './settings.ts';
import type { SerializerOptions, Settings } from './settings.ts';

/**
 * Writes and reads with the same options, and with a limit of bytes for each call, for which nothing
 * has to be made: for channels on which each message has a bound of its own.
 */
export class BoundedSerializer {
  readonly #limits: MutableLimits;
  readonly #settings: Settings;

  /** Throws a `SerializationError` for an option that cannot be. */
  constructor(options: SerializerOptions = {}) {
    this.#limits = resolveLimits(ownField(options, 'limits'));
    this.#settings = resolveSettings(options, NO_CUSTOM_TYPES, undefined, this.#limits);
  }

  /**
   * Text of a value.
   *
   * @param maxBytes Bytes of the text in UTF-8, prefix included, in place of the options' limit.
   */
  serialize(value: unknown, maxBytes: number): string {
    const before = this.#bound(maxBytes);
    try {
      return encode(value, this.#settings);
    } finally {
      // A getter of the value may have used this serializer in between.
      this.#limits.maxBytes = before;
    }
  }

  /**
   * The value of a text. The type is the caller's claim; nothing checks it.
   *
   * @param maxBytes Bytes of the text in UTF-8, prefix included, in place of the options' limit.
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
