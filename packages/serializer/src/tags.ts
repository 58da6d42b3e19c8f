/** The key that makes an object of the wire a tagged value. */
export const TAG_KEY = '__type__';

/** `{"__type__":"set","data":[]}`; `fields` is empty or begins with a comma. */
export function tagText(tag: string, fields: string): string {
  return '{"__type__":"' + tag + '"' + fields + '}';
}

/** Whether a key is one that JavaScript puts before all others, in ascending order. */
export function isIndex(key: string): boolean {
  const index = (key as unknown as number) >>> 0; // The conversion is the point.
  return index !== 0xff_ff_ff_ff && '' + index === key;
}
