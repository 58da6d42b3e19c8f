import { stripVTControlCharacters } from 'node:util';

/** Removes everything that controls a terminal from text of a guest, a tool or a model. */
export function plainText(text: string): string {
  return (
    stripVTControlCharacters(text)
      .replaceAll(/\r\n?/g, '\n')
      // All control and format characters except line breaks and tabs.
      .replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')
  );
}
