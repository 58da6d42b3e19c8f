import {
  charCodeAt,
  endsWith,
  indexOf,
  lastIndexOf,
  MapConstructor,
  mapDelete,
  mapGet,
  mapSet,
  NumberConstructor,
  slice,
  startsWith,
} from './primordials.ts';

/**
 * Long base64 texts are cut out of a text before `JSON.parse`, which would copy and check each
 * character at ten times the cost of decoding.
 *
 * The tag and quotes before such a text cannot be part of a JSON string, because quotes inside a
 * string are escaped. The removed text contains no quote. So the rest is valid JSON if and only if
 * the whole text is, except for characters that base64 does not have, which the decoder refuses.
 */
const HEADS = [
  '{"__type__":"bytes","data":"',
  '{"__type__": "bytes", "data": "',
  '{"__type__":"PIL.Image","data":"',
  '{"__type__": "PIL.Image", "data": "',
] as const;

/** Distance between the checked positions, in characters. Shorter texts may stay in the JSON. */
const STRIDE = 4096;
const SHORTEST = 2048;
/** Longer than the longest ending of a tag: `","js":"Uint8ClampedArray"}`. */
const LONGEST_TAIL = 32;
const PLACEHOLDER = 35; // `#` is not in the base64 alphabet.

/** The texts that were cut out. Each can be taken once, by its placeholder. */
export class Blobs {
  readonly #texts = new MapConstructor<number, string>();
  #count = 0;

  /** Stores a text and returns its placeholder. */
  put(text: string): string {
    mapSet(this.#texts, this.#count, text);
    return '#' + this.#count++;
  }

  /** Returns the text of a placeholder once; a second use, possible only in forged text, fails. */
  take(placeholder: string): string | undefined {
    if (charCodeAt(placeholder, 0) !== PLACEHOLDER) return undefined;
    const number = NumberConstructor(slice(placeholder, 1));
    const text = mapGet(this.#texts, number) as string | undefined;
    mapDelete(this.#texts, number);
    return text;
  }
}

/** Replaces long base64 texts by placeholders; returns the same text if there are none. */
export function cutBlobs(text: string, blobs: Blobs): string {
  if (text.length > STRIDE) {
    const whole = cutWhole(text, blobs);
    if (whole !== undefined) return whole;
  }
  let skeleton = '';
  let kept = 0;
  for (let at = STRIDE; at < text.length;) {
    const end = indexOf(text, '"', at);
    if (end - at < SHORTEST) {
      at += STRIDE;
      continue;
    }
    const start = lastIndexOf(text, '"', at - 1) + 1;
    if (endsInHead(text, start)) {
      skeleton += slice(text, kept, start) + blobs.put(slice(text, start, end));
      kept = end;
    }
    at = end + STRIDE;
  }
  return kept === 0 ? text : skeleton + slice(text, kept);
}

/**
 * If the whole text is one tag, its base64 extends to the end, so no search for the closing quote
 * is needed. Anything else in that place is not base64 and is refused by the decoder.
 */
function cutWhole(text: string, blobs: Blobs): string | undefined {
  if (!startsWith(text, HEADS[0]) || !endsWith(text, '"}')) return undefined;
  const hint = indexOf(slice(text, -LONGEST_TAIL), '","js":"');
  const end = text.length - (hint === -1 ? 2 : LONGEST_TAIL - hint);
  const start = HEADS[0].length;
  return HEADS[0] + blobs.put(slice(text, start, end)) + slice(text, end);
}

function endsInHead(text: string, start: number): boolean {
  for (let at = 0; at < HEADS.length; at++) {
    const head = HEADS[at] as string; // The index is in bounds.
    if (start >= head.length && startsWith(text, head, start - head.length)) return true;
  }
  return false;
}
