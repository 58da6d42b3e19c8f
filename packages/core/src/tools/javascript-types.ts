import { types } from 'node:util';

/**
 * Keyword of a JSON Schema for a value that JSON does not have: `{ "x-javascript-type": "Date" }`.
 * A Map may say more by `propertyNames` and `additionalProperties`, a Set by `items`.
 */
export const JAVASCRIPT_TYPE = 'x-javascript-type';

const TYPED_ARRAYS = [
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float16Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
] as const;

/** What passes between guests and tools besides JSON, with the test for it. */
const TESTS = new Map<string, (value: unknown) => boolean>([
  ['undefined', (value) => value === undefined],
  ['bigint', (value) => typeof value === 'bigint'],
  ['Date', types.isDate],
  ['RegExp', types.isRegExp],
  ['Map', types.isMap],
  ['Set', types.isSet],
  ['Error', types.isNativeError],
  ['ArrayBuffer', types.isArrayBuffer],
  ['DataView', types.isDataView],
  ['URL', (value) => value instanceof URL],
  ...TYPED_ARRAYS.map(
    (name) =>
      [
        name,
        // The tag of a typed array is a getter of its inner slot, which no object can forge.
        (value: unknown) => types.isTypedArray(value) && value[Symbol.toStringTag] === name,
      ] as const,
  ),
]);

export const JAVASCRIPT_TYPES: readonly string[] = [...TESTS.keys()];

/** The JSON Schema of a type that JSON does not have; undefined where guests cannot have it. */
export function schemaOfType(
  name: string | undefined,
): { readonly [JAVASCRIPT_TYPE]: string } | undefined {
  // A Buffer is bytes like any other to a guest.
  const type = name === 'Buffer' ? 'Uint8Array' : name;
  return type !== undefined && TESTS.has(type) ? { [JAVASCRIPT_TYPE]: type } : undefined;
}

export function hasType(value: unknown, name: string): boolean {
  return TESTS.get(name)?.(value) === true;
}
