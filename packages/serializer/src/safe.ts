export { BoundedSerializer } from './bounded-serializer.ts';
export type { Codec, CustomType } from './custom-types.ts';
export type { SerializationErrorCode, SerializationErrorDetails } from './serialization-error.ts';
export { SerializationError } from './serialization-error.ts';
export type { Limits } from './serializer-limits.ts';
export { DEFAULT_LIMITS } from './serializer-limits.ts';
export { deserialize, SafeSerializer, serialize } from './serializer.ts';
export type { SerializerOptions } from './settings.ts';
export {
  CalendarDate,
  Complex,
  Dataclass,
  DateTime,
  Decimal,
  FilePath,
  FrozenSet,
  isTuple,
  NdArray,
  PngImage,
  TimeDelta,
  tuple,
  WallTime,
} from './special-values.ts';
