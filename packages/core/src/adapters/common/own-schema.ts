import type { StandardSchemaWithJson } from '../../tools/definition.ts';

/**
 * Whether a registry can use a framework's schema unchanged. It then keeps what JSON Schema cannot
 * express, such as Dates and Maps.
 */
export function isStandardSchemaWithJson(schema: unknown): schema is StandardSchemaWithJson {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return false;
  if (!('~standard' in schema)) return false;
  const { '~standard': standard } = schema;
  return typeof standard === 'object' && standard !== null && 'jsonSchema' in standard;
}
