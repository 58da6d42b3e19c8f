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
 * Long base64 texts are cut out of a text before `JSON.parse` sees it, which would copy and check
 * each of their characters at ten times the cost of decoding them.
 *
 * What stands before such a text, its tag with all its quotes, cannot be part of a JSON string, where
 * the quotes would be escaped; and what is cut out holds no quote. So the rest is valid JSON if and
 * only if the whole was, but for characters that base64 does not have and its decoder refuses.
 */
const HEADS = [
  '{"__type__":"bytes","data":"',
  '{"__type__": "bytes", "data": "',
  '{"__type__":"PIL.Image","data":"',
  '{"__type__": "PIL.Image", "data": "',
] as const;

/** A text is looked at every so many characters; what is shorter may stay in. */
const STRIDE = 4096;
const SHORTEST = 2048;
/** Longer than the hint of any kind: `","js":"Uint8ClampedArray"}`. */
const LONGEST_TAIL = 32;
const PLACEHOLDER = 35; // `#`, which base64 does not have.

/** The texts that were cut out, each to be taken once by its placeholder. */
export class Blobs {
  readonly #texts = new MapConstructor<number, string>();
  #count = 0;

  /** Keeps a text and gives its placeholder. */
  put(text: string): string {
    mapSet(this.#texts, this.#count, text);
    return '#' + this.#count++;
  }

  /** The text of a placeholder. A second use of it, which only a forged text can make, has none. */
  take(placeholder: string): string | undefined {
    if (charCodeAt(placeholder, 0) !== PLACEHOLDER) return undefined;
    const number = NumberConstructor(slice(placeholder, 1));
    const text = mapGet(this.#texts, number) as string | undefined;
    mapDelete(this.#texts, number);
    return text;
  }
}

/** Cuts the long texts out; gives the same text where there are none. */
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
 * Of a text that is one tag, its base64 reaches to the end: no search for the quote behind it. What
 * else may stand there is no base64, and refused as such.
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
    const head = HEADS[at] as string; // Below the length.
    if (start >= head.length && startsWith(text, head, start - head.length)) return true;
  }
  return false;
}
