/**
 * A value as JSON that cannot control a terminal: characters that JSON may hold as they are, such as the
 * control characters above U+007F and those that change the direction of text, are written as escapes.
 * A reader of the JSON gets the same value.
 *
 * @param indent Spaces for each level, for a person to read.
 */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll(
    /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) =>
      Array.from({ length: character.length }, (_, at) => escapeOf(character.charCodeAt(at))).join(
        '',
      ),
  );
}

function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
