// The types of @glovebox/serializer/safe, written by `npx -y pnpm run api`; not to be edited.
// Declarations that index.d.ts has as well are left out.
export declare class SafeSerializer {
  #private;
  constructor(options?: SerializerOptions);
  protected unsafeCodec(): UnsafeCodec | undefined;
  serialize(value: unknown): string;
  deserialize<Value = unknown>(text: string): Value;
  dumps(value: unknown): string;
  loads<Value = unknown>(text: string): Value;
  register<Value extends object, Data>(type: CustomType<Value, Data>): this;
}
export type {
  Codec,
  CustomType,
  Limits,
  SerializationErrorCode,
  SerializationErrorDetails,
  SerializerOptions,
};
