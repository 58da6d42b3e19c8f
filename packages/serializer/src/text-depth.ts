import { charCodeAt, includes, repeat } from './primordials.ts';

const QUOTE = 34;
const BACKSLASH = 92;

/**
 * Whether a text is nested deeper than `maxDepth` by a run of opening brackets, which `JSON.parse`
 * parses slowly. All other nesting is checked after parsing.
 */
export function isRunOfBrackets(json: string, maxDepth: number): boolean {
  return includes(json, repeat('[', maxDepth + 1)) && textDepth(json) > maxDepth;
}

/** Maximum depth of brackets and braces outside strings; the text need not be valid JSON. */
function textDepth(json: string): number {
  let depth = 0;
  let deepest = 0;
  let isString = false;
  for (let at = 0; at < json.length; at++) {
    const code = charCodeAt(json, at);
    if (code === QUOTE) isString = !isString;
    else if (isString) at += code === BACKSLASH ? 1 : 0;
    // `[` and `{` differ in one bit, which is masked; so do `]` and `}`.
    else if ((code & 0xdf) === 0x5b) deepest = ++depth > deepest ? depth : deepest;
    else if ((code & 0xdf) === 0x5d) depth--;
  }
  return deepest;
}
