import { charCodeAt, includes, repeat } from './primordials.ts';

const QUOTE = 34;
const BACKSLASH = 92;

/**
 * Whether a text nests deeper than that, where it does so in the one way that `JSON.parse` is slow
 * to go through: a mere run of opening brackets. All other depth is found in what was parsed.
 */
export function isRunOfBrackets(json: string, maxDepth: number): boolean {
  return includes(json, repeat('[', maxDepth + 1)) && textDepth(json) > maxDepth;
}

/** Depth of the deepest bracket or brace outside of strings, whether or not the text is JSON. */
function textDepth(json: string): number {
  let depth = 0;
  let deepest = 0;
  let isString = false;
  for (let at = 0; at < json.length; at++) {
    const code = charCodeAt(json, at);
    if (code === QUOTE) isString = !isString;
    else if (isString) at += code === BACKSLASH ? 1 : 0;
    // `[` and `{` differ in one bit, and so do `]` and `}`.
    else if ((code & 0xdf) === 0x5b) deepest = ++depth > deepest ? depth : deepest;
    else if ((code & 0xdf) === 0x5d) depth--;
  }
  return deepest;
}
