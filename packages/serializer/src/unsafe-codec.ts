/** A codec for values that `safe:` text does not support. It exists only on the host. */
export interface UnsafeCodec {
  /** The text after the prefix. */
  encode(value: unknown): string;
  decode(text: string): unknown;
}
