import {
  ErrorConstructorCaptured,
  ObjectDefineProperty,
  StringCharCodeAt,
  StringConstructor,
  StringFromCharCode,
} from './intrinsics.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function invalidCharacter(message: string): Error {
  const error = new ErrorConstructorCaptured(message);
  ObjectDefineProperty(error, 'name', {
    __proto__: null,
    value: 'InvalidCharacterError',
  } as PropertyDescriptor);
  return error;
}

function letter(index: number): string {
  return ALPHABET[index] as string;
}

/** Index of a letter in the alphabet, or -1. Computed: a table would be created in every isolate. */
function sextetOf(code: number): number {
  if (code >= 97) return code <= 122 ? code - 71 : -1;
  if (code >= 65) return code <= 90 ? code - 65 : -1;
  if (code >= 48) return code <= 57 ? code + 4 : -1;
  return code === 43 ? 62 : code === 47 ? 63 : -1;
}

/** https://html.spec.whatwg.org/multipage/webappapis.html#dom-btoa */
export function btoa(data: unknown): string {
  const text = StringConstructor(data);
  let out = '';
  for (let index = 0; index < text.length; index += 3) {
    const a = StringCharCodeAt(text, index);
    const b = StringCharCodeAt(text, index + 1);
    const c = StringCharCodeAt(text, index + 2);
    // After the end of the text a code unit is NaN: comparisons are false, and it shifts as 0.
    if (a > 255 || b > 255 || c > 255) {
      throw invalidCharacter('btoa accepts only characters up to U+00FF.');
    }
    out += letter(a >> 2) + letter(((a & 3) << 4) | (b >> 4));
    out += index + 1 < text.length ? letter(((b & 15) << 2) | (c >> 6)) : '=';
    out += index + 2 < text.length ? letter(c & 63) : '=';
  }
  return out;
}

/** https://html.spec.whatwg.org/multipage/webappapis.html#dom-atob */
export function atob(data: unknown): string {
  const input = StringConstructor(data);
  let text = '';
  for (let index = 0; index < input.length; index++) {
    const code = StringCharCodeAt(input, index);
    const isSpace = code === 32 || code === 9 || code === 10 || code === 12 || code === 13;
    if (!isSpace) text += input[index];
  }
  let { length } = text;
  if (length % 4 === 0 && length > 0 && text[length - 1] === '=') {
    length -= text[length - 2] === '=' ? 2 : 1;
  }
  if (length % 4 === 1) throw invalidCharacter('The text for atob is not base64.');
  let out = '';
  let bits = 0;
  let bitCount = 0;
  for (let index = 0; index < length; index++) {
    const value = sextetOf(StringCharCodeAt(text, index));
    if (value < 0) throw invalidCharacter('The text for atob is not base64.');
    bits = ((bits << 6) | value) & 0xffff;
    bitCount += 6;
    if (bitCount >= 8) {
      bitCount -= 8;
      out += StringFromCharCode((bits >> bitCount) & 255);
    }
  }
  return out;
}
