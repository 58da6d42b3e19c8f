// The types of @glovebox/serializer, written by `npx -y pnpm run api`; not to be edited.
export declare class BoundedSerializer {
  #private;
  constructor(options?: SerializerOptions);
  serialize(value: unknown, maxBytes: number): string;
  deserialize<Value = unknown>(text: string, maxBytes: number): Value;
}
export declare class CalendarDate {
  #private;
  constructor(text: string);
  get year(): number;
  get month(): number;
  get day(): number;
  toString(): string;
}
interface Codec<Decoded, Encoded> {
  encode(value: Decoded): Encoded;
  decode(data: Encoded): Decoded;
}
export declare class Complex {
  #private;
  constructor(real: number, imag: number);
  get real(): number;
  get imag(): number;
  toString(): string;
}
type CustomType<Value extends object = object, Data = unknown> = CustomTypeName & CustomTypeSelector<Value> & CustomTypeConversion<Value, Data>;
type CustomTypeConversion<Value, Data> = {
  readonly serialize: (value: Value) => Data;
  readonly deserialize: (data: Data) => Value;
} | {
  readonly codec: Codec<Value, Data>;
};
interface CustomTypeName {
  readonly name: string;
}
type CustomTypeSelector<Value> = {
  readonly class: abstract new (...args: never[]) => Value;
} | {
  readonly isApplicable: (value: object) => boolean;
};
export declare const DEFAULT_LIMITS: Limits;
export declare class Dataclass {
  #private;
  constructor(className: string, module: string, fields: object);
  get className(): string;
  get module(): string;
  get fields(): object;
}
export declare class DateTime {
  #private;
  constructor(text: string);
  get isNaive(): boolean;
  toDate(offsetSeconds?: number): Date;
  toString(): string;
}
export declare class Decimal {
  #private;
  constructor(text: string);
  toNumber(): number;
  toString(): string;
}
export declare class FilePath {
  #private;
  constructor(text: string);
  toString(): string;
}
export declare class FrozenSet<Item = unknown> extends Set<Item> {
  #private;
  constructor(items?: Iterable<Item>);
  add(): never;
  delete(): never;
  clear(): never;
  static is(value: object): boolean;
}
interface Limits {
  readonly maxDepth: number;
  readonly maxNodes: number;
  readonly maxBytes: number;
  readonly maxBigIntDigits: number;
  readonly maxRegExpLength: number;
  readonly maxRegExpWork: number;
}
export declare class NdArray {
  #private;
  constructor(data: unknown, dtype: string);
  get data(): unknown;
  get dtype(): string;
  get shape(): number[];
}
export declare class PngImage {
  #private;
  constructor(png: Uint8Array);
  get png(): Uint8Array;
}
export declare class SafeSerializer extends SafeSerializer$1 {
  protected unsafeCodec(): UnsafeCodec;
}
declare class SafeSerializer$1 {
  #private;
  constructor(options?: SerializerOptions);
  protected unsafeCodec(): UnsafeCodec | undefined;
  serialize(value: unknown): string;
  deserialize<Value = unknown>(text: string): Value;
  dumps(value: unknown): string;
  loads<Value = unknown>(text: string): Value;
  register<Value extends object, Data>(type: CustomType<Value, Data>): this;
}
export declare class SerializationError extends Error {
  #private;
  readonly code: SerializationErrorCode;
  readonly path: string;
  readonly value: unknown;
  readonly limit: string | undefined;
  readonly allowed: number | undefined;
  readonly used: number | undefined;
  constructor(code: SerializationErrorCode, reason: string, details?: SerializationErrorDetails);
  static is(value: unknown): value is SerializationError;
  get name(): string;
}
type SerializationErrorCode = 'UNSUPPORTED_TYPE' | 'CYCLE' | 'UNKNOWN_TAG' | 'MALFORMED' | 'LIMIT' | 'UNSAFE_REJECTED' | 'BAD_PREFIX';
interface SerializationErrorDetails {
  readonly path?: string | undefined;
  readonly value?: unknown;
  readonly cause?: unknown;
  readonly limit?: string;
  readonly allowed?: number;
  readonly used?: number;
}
interface SerializerOptions {
  readonly profile?: 'native' | 'python';
  readonly references?: 'duplicate' | 'preserve';
  readonly limits?: Partial<Limits>;
  readonly allowUnsafe?: boolean;
  readonly thorough?: boolean;
  readonly errorStacks?: boolean;
}
export declare class TimeDelta {
  #private;
  constructor(totalSeconds: number);
  get totalSeconds(): number;
  get totalMilliseconds(): number;
}
interface UnsafeCodec {
  encode(value: unknown): string;
  decode(text: string): unknown;
}
export declare class WallTime {
  #private;
  constructor(text: string);
  get hour(): number;
  get minute(): number;
  get second(): number;
  get microsecond(): number;
  toString(): string;
}
export declare function deserialize<Value = unknown>(text: string, options?: SerializerOptions): Value;
export declare function isTuple(value: unknown): value is readonly unknown[];
export declare function serialize(value: unknown, options?: SerializerOptions): string;
export declare function tuple<const Items extends readonly unknown[]>(...items: Items): Items;
export type {
  Codec,
  CustomType,
  Limits,
  SerializationErrorCode,
  SerializationErrorDetails,
  SerializerOptions,
};
