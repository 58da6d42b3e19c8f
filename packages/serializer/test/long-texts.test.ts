import { deserialize, serialize } from '@glovebox/serializer';
import { expect, test } from 'vitest';

const WIDE = '“Ω” 語 🙂 – ';
const long = (text: string, count: number): string => text.repeat(Math.ceil(count / text.length));

/** Each text is long enough to be quoted by hand, and most hold one thing that must be escaped. */
test.each<[name: string, text: string]>([
  ['beyond Latin-1', long(WIDE, 3000)],
  ['ASCII alone', long('plain ', 3000)],
  ['Latin-1 alone', long('déjà vu ', 3000)],
  ['beyond Latin-1 only after the sample', long('plain ', 3000) + long(WIDE, 3000)],
  ['a quote', long(WIDE, 3000) + '"'],
  ['a backslash', long(WIDE, 3000) + '\\'],
  ['a line break', long(WIDE, 3000) + '\n'],
  ['the last control character', long(WIDE, 3000) + '\u001f'],
  ['NUL', '\0' + long(WIDE, 3000)],
  ['DEL, which needs no escape', long(WIDE, 3000) + '\u007f'],
  ['U+2028, which needs none either', long(WIDE, 3000) + '\u2028'],
  ['half a pair at the end', long(WIDE, 3000) + '\ud83d'],
  ['half a pair inside', long(WIDE, 3000) + '\udc00' + long(WIDE, 3000)],
])('a long text is written as JSON writes it: %s', (_name, text) => {
  const records = Array.from({ length: 30 }, (_, number) => ({ number, text }));
  const written = serialize(records);
  expect(written).toBe(`safe:${JSON.stringify(records)}`);
  expect(deserialize(written)).toStrictEqual(records);
  expect(serialize(new Map([[1, text]]))).toContain(JSON.stringify(text));
});
