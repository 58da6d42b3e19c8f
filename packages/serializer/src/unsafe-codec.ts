/** The other way, for what the safe way refuses; it exists on the host alone. */
export interface UnsafeCodec {
  /** Text after the prefix. */
  encode(value: unknown): string;
  decode(text: string): unknown;
}
