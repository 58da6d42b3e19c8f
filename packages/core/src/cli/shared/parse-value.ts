import { deserialize } from '@glovebox/serializer/safe';

/**
 * Parses JSON or `safe:` text.
 *
 * @throws SyntaxError or SerializationError if the text is neither.
 */
export function parseJsonOrSafe(text: string): unknown {
  return text.startsWith('safe:') ? deserialize(text.trimEnd()) : JSON.parse(text);
}

export { toTaggedJson } from '../../shared/tagged-json.ts';
