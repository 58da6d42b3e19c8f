import { charCodeAt, includes, startsWith } from './primordials.ts';

const BACKSLASH = 92;
const HYPHEN = 45;
const LOWER_P = 112;
const UPPER_P = 80;

/** V8 builds the ranges of a property each time: 150 to 330 µs for `\p{L}`. */
const PROPERTY_WORK = 500;
/** Properties of strings are thousands of alternatives: 4 to 5 ms for `\p{RGI_Emoji}`. */
const STRINGS_WORK = 10_000;
const STRING_PROPERTIES = ['RGI_', 'Basic_Emoji', 'Emoji_Keycap_'] as const;
/** With the flags `i` and `v`, each range and each character of a class gets its other cases. */
const CASELESS_RANGE_WORK = 60;
const CASELESS_CHARACTER_WORK = 15;

/**
 * The work of creating a RegExp, in units of about a microsecond: an upper bound, derived from the source.
 * Measured with the kinds of syntax whose cost exceeds their length.
 */
export function regExpWork(source: string, flags: string): number {
  const hasSets = includes(flags, 'v');
  const isCaseless = hasSets && includes(flags, 'i');
  const hasProperties = hasSets || includes(flags, 'u');
  let work = source.length * (isCaseless ? CASELESS_CHARACTER_WORK : 1);
  if (!hasProperties) return work;
  for (let at = 0; at < source.length; at++) {
    const code = charCodeAt(source, at);
    if (code === HYPHEN && isCaseless) work += CASELESS_RANGE_WORK;
    if (code !== BACKSLASH) continue;
    const escaped = charCodeAt(source, ++at);
    if (escaped !== LOWER_P && escaped !== UPPER_P) continue;
    work += hasSets && isOfStrings(source, at + 2) ? STRINGS_WORK : PROPERTY_WORK;
  }
  return work;
}

function isOfStrings(source: string, at: number): boolean {
  for (let each = 0; each < STRING_PROPERTIES.length; each++) {
    if (startsWith(source, STRING_PROPERTIES[each] as string, at)) return true; // The index is in bounds.
  }
  return false;
}
