import { serialize } from '@glovebox/serializer/safe';

/** Converts a value to the JSON of the `safe:` format, with tags for types that JSON lacks. */
export function toTaggedJson(value: unknown): unknown {
  return JSON.parse(serialize(value).slice('safe:'.length));
}
