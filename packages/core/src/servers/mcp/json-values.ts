import { deserialize } from '@glovebox/serializer/safe';

import { GloveboxError } from '../../shared/errors.ts';
import type { JsonSchema } from '../../tools/definition.ts';
import { JAVASCRIPT_TYPE } from '../../tools/javascript-types.ts';
import { isTooDeep } from './depth.ts';

/** Keywords whose content is data, not schemas. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/** What a value looks like, of those that clients are most likely to write or read. */
const EXAMPLES: Readonly<Record<string, object>> = {
  Date: { __type__: 'datetime', data: '2026-01-31T12:00:00.000+00:00' },
  bigint: { __type__: 'bigint', data: '12345678901234567890' },
  Map: { __type__: 'dict_with_complex_keys', data: [['key', 'value']] },
  Set: { __type__: 'set', data: ['item'] },
  Uint8Array: { __type__: 'bytes', data: 'AAEC' },
  URL: { __type__: 'url', data: 'https://example.org/' },
};

/**
 * Reads a value that a client wrote as JSON, in the tagged form of `safe:` where JSON lacks it.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS`: it is nested too deeply.
 * @throws {SerializationError} Its tags are malformed.
 */
export function fromTaggedJson(value: unknown): unknown {
  if (isTooDeep(value)) {
    throw new GloveboxError('INVALID_OPTIONS', 'The arguments are nested too deeply.');
  }
  return deserialize(`safe:${JSON.stringify(value)}`);
}

/** A schema of values as the schema of their tagged JSON. */
export function toTaggedSchema(schema: JsonSchema): JsonSchema {
  // Of an object, it is one.
  return convert(schema) as JsonSchema;
}

function convert(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(convert);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (JAVASCRIPT_TYPE in schema && typeof schema[JAVASCRIPT_TYPE] === 'string') {
    return taggedValue(schema[JAVASCRIPT_TYPE], { ...schema });
  }
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, content]) => [
      keyword,
      DATA_KEYWORDS.has(keyword) ? content : convert(content),
    ]),
  );
}

/** Any value, for a validator; what it has to be is said in words. */
function taggedValue(type: string, schema: JsonSchema): JsonSchema {
  const example = EXAMPLES[type];
  const such = example === undefined ? '' : `, such as ${JSON.stringify(example)}`;
  const own = typeof schema['description'] === 'string' ? `${schema['description']} ` : '';
  return { description: `${own}(a JavaScript ${type} in tagged JSON${such})` };
}
