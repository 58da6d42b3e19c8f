/** The key that marks an object in the JSON as a tagged value. */
export const TAG_KEY = '__type__';

/**
 * The text of a tag, such as `{"__type__":"set","data":[]}`; `fields` is empty or starts with a
 * comma.
 */
export function tagText(tag: string, fields: string): string {
  return '{"__type__":"' + tag + '"' + fields + '}';
}

/** Whether a key is an array index: JavaScript iterates these keys first, in ascending order. */
export function isIndex(key: string): boolean {
  const index = (key as unknown as number) >>> 0; // `>>>` converts the text to a number.
  return index !== 0xff_ff_ff_ff && '' + index === key;
}
