import { stripVTControlCharacters } from 'node:util';

/** Text of a guest, a tool or a model, of several lines, that cannot steer a terminal. */
export function plainText(text: string): string {
  return (
    stripVTControlCharacters(text)
      .replaceAll(/\r\n?/g, '\n')
      // All that is no text but line breaks and tabs.
      .replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')
  );
}
