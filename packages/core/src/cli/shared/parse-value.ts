import { deserialize } from '@glovebox/serializer/safe';

/** @throws SyntaxError or SerializationError: the text is neither JSON nor `safe:` text. */
export function parseJsonOrSafe(text: string): unknown {
  return text.startsWith('safe:') ? deserialize(text.trimEnd()) : JSON.parse(text);
}

export { toTaggedJson } from '../../shared/tagged-json.ts';
