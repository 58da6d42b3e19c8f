import type { StandardSchemaWithJson } from '../../tools/definition.ts';

/**
 * Whether a registry can take a framework's schema as it is. It knows what such a schema says beyond
 * JSON Schema: Dates, Maps.
 */
export function isStandardSchemaWithJson(schema: unknown): schema is StandardSchemaWithJson {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return false;
  if (!('~standard' in schema)) return false;
  const { '~standard': standard } = schema;
  return typeof standard === 'object' && standard !== null && 'jsonSchema' in standard;
}
