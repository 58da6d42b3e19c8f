import { deserialize } from '@glovebox/serializer/safe';

import { GloveboxError } from '../../shared/errors.ts';
import type { JsonSchema } from '../../tools/definition.ts';
import { JAVASCRIPT_TYPE } from '../../tools/javascript-types.ts';
import { isTooDeep } from './depth.ts';

/** Keywords whose content is data, not a schema. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/** Examples of tagged values for the types that clients are most likely to write or read. */
const EXAMPLES: Readonly<Record<string, object>> = {
  Date: { __type__: 'datetime', data: '2026-01-31T12:00:00.000+00:00' },
  bigint: { __type__: 'bigint', data: '12345678901234567890' },
  Map: { __type__: 'dict_with_complex_keys', data: [['key', 'value']] },
  Set: { __type__: 'set', data: ['item'] },
  Uint8Array: { __type__: 'bytes', data: 'AAEC' },
  URL: { __type__: 'url', data: 'https://example.org/' },
};

/**
 * Decodes tagged JSON from a client: JSON, with the tags of `safe:` for values that JSON cannot
 * represent.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS` if the value is nested too deeply.
 * @throws {SerializationError} if its tags are malformed.
 */
export function fromTaggedJson(value: unknown): unknown {
  if (isTooDeep(value)) {
    throw new GloveboxError('INVALID_OPTIONS', 'The arguments are nested too deeply.');
  }
  return deserialize(`safe:${JSON.stringify(value)}`);
}

/** Converts a schema of values into a schema of their tagged JSON. */
export function toTaggedSchema(schema: JsonSchema): JsonSchema {
  // An object is converted into an object.
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

/** A schema that accepts any value; its description says what the value must be. */
function taggedValue(type: string, schema: JsonSchema): JsonSchema {
  const example = EXAMPLES[type];
  const such = example === undefined ? '' : `, such as ${JSON.stringify(example)}`;
  const own = typeof schema['description'] === 'string' ? `${schema['description']} ` : '';
  return { description: `${own}(a JavaScript ${type} in tagged JSON${such})` };
}
