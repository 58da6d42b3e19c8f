import { charCodeAt, indexOf, isSafeInteger, NumberConstructor, slice } from './primordials.ts';
import { tagText } from './tags.ts';

const QUOTE = 34;
const MINUS = 45;
const BACKSLASH = 92;

/**
 * Replaces tokens of Python that are not JSON by tags: `NaN`, `Infinity`, `-Infinity`, and integers
 * that a double cannot represent. Text inside strings does not change. Text that is invalid apart
 * from these tokens stays invalid, because a tag is valid only where a value is.
 */
export function replacePythonTokens(text: string): string {
  let replaced = '';
  let kept = 0;
  for (let at = 0; at < text.length;) {
    const code = charCodeAt(text, at);
    if (code === QUOTE) {
      at = endOfString(text, at + 1);
      continue;
    }
    const end = endOfToken(text, at, code);
    if (end === at) {
      at++;
      continue;
    }
    const tag = tagOfToken(slice(text, at, end));
    if (tag !== undefined) {
      replaced += slice(text, kept, at) + tag;
      kept = end;
    }
    at = end;
  }
  return kept === 0 ? text : replaced + slice(text, kept);
}

/** The index after the closing quote of a string; the end of the text if there is none. */
function endOfString(text: string, from: number): number {
  for (let at = from; ;) {
    const quote = indexOf(text, '"', at);
    if (quote === -1) return text.length;
    let backslashes = 0;
    while (charCodeAt(text, quote - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/** Digits, letters, signs and points: the characters of numbers and words. */
function isTokenCode(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 43 ||
    code === MINUS ||
    code === 46
  );
}

function endOfToken(text: string, at: number, code: number): number {
  let end = at;
  for (let next = code; isTokenCode(next); next = charCodeAt(text, end)) end++;
  return end;
}

function tagOfToken(token: string): string | undefined {
  if (token === 'NaN' || token === 'Infinity' || token === '-Infinity') {
    return tagText('number', ',"data":"' + token + '"');
  }
  if (token.length < 16 || !isIntegerLiteral(token) || isSafeInteger(NumberConstructor(token))) {
    return undefined;
  }
  return tagText('bigint', ',"data":"' + token + '"');
}

function isIntegerLiteral(token: string): boolean {
  const first = charCodeAt(token, 0) === MINUS ? 1 : 0;
  for (let at = first; at < token.length; at++) {
    const code = charCodeAt(token, at);
    if (code < 48 || code > 57) return false;
  }
  // JSON has no leading zeros: leave such a token to the parser, which refuses it.
  return charCodeAt(token, first) !== 48;
}
