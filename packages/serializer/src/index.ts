export { BoundedSerializer } from './bounded-serializer.ts';
export type { Codec, CustomType } from './custom-types.ts';
export type { SerializationErrorCode, SerializationErrorDetails } from './errors.ts';
export { SerializationError } from './errors.ts';
export type { Limits } from './limits.ts';
export { DEFAULT_LIMITS } from './limits.ts';
export { deserialize, SafeSerializer, serialize } from './host-serializer.ts';
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
} from './values.ts';
