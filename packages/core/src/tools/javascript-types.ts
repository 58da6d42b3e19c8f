import { types } from 'node:util';

/**
 * JSON Schema keyword for a type that JSON does not have: `{ "x-javascript-type": "Date" }`. For a
 * Map, `propertyNames` and `additionalProperties` describe keys and values; for a Set, `items`
 * describes the elements.
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

/** The types besides JSON that can pass between guests and tools, each with its type test. */
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
        // The tag getter of typed arrays reads an internal slot, so objects cannot forge it.
        (value: unknown) => types.isTypedArray(value) && value[Symbol.toStringTag] === name,
      ] as const,
  ),
]);

export const JAVASCRIPT_TYPES: readonly string[] = [...TESTS.keys()];

/** The JSON Schema of a type that JSON does not have; undefined if guests do not support it. */
export function schemaOfType(
  name: string | undefined,
): { readonly [JAVASCRIPT_TYPE]: string } | undefined {
  // Guests have no Buffer: it arrives as a Uint8Array.
  const type = name === 'Buffer' ? 'Uint8Array' : name;
  return type !== undefined && TESTS.has(type) ? { [JAVASCRIPT_TYPE]: type } : undefined;
}

export function hasType(value: unknown, name: string): boolean {
  return TESTS.get(name)?.(value) === true;
}
