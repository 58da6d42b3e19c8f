import { deserialize, serialize } from '@glovebox/serializer';

/** @throws SyntaxError or SerializationError: the text is neither JSON nor `safe:` text. */
export function parseJsonOrSafe(text: string): unknown {
  return text.startsWith('safe:') ? deserialize(text.trimEnd()) : JSON.parse(text);
}

/** A value as JSON: what stands behind `safe:` in its text, with tags for what JSON lacks. */
export function toTaggedJson(value: unknown): unknown {
  return JSON.parse(serialize(value).slice('safe:'.length));
}
