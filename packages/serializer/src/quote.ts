import {
  charCodeAt,
  execRegExp,
  includes,
  isWellFormed,
  slice,
  stringifyJson,
} from './primordials.ts';

/** Up to so many characters a look at each takes less time than a call of `JSON.stringify`. */
const SHORT = 24;
/**
 * From so many characters on, a text with some beyond Latin-1 is searched for what needs an escape:
 * V8 does that at twice the speed at which its `JSON.stringify` goes through such a text. With
 * Latin-1 alone `JSON.stringify` is the faster.
 */
const LONG = 1024;
/** How much of a text tells which of the two it is. */
const SAMPLE = 256;

const BEYOND_LATIN_1 = /[\u0100-\uffff]/;
// oxlint-disable-next-line no-control-regex -- These are what it is for.
const CONTROL = /[\u0000-\u001f]/;

/** What `JSON.stringify` makes of a string. */
export function quote(value: string): string {
  const isPlain =
    value.length <= SHORT ? isBare(value) : value.length >= LONG && isLongAndBare(value);
  return isPlain ? '"' + value + '"' : stringifyJson(value);
}

/** Whether a short string is printable ASCII without the quote and the backslash. */
function isBare(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const code = charCodeAt(value, at);
    if (code < 32 || code > 126 || code === 34 || code === 92) return false;
  }
  return true;
}

function isLongAndBare(value: string): boolean {
  return (
    execRegExp(BEYOND_LATIN_1, slice(value, 0, SAMPLE)) !== null &&
    isWellFormed(value) &&
    !includes(value, '"') &&
    !includes(value, '\\') &&
    execRegExp(CONTROL, value) === null
  );
}
