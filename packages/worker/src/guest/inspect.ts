import {
  ArrayIsArray,
  DateGetTime,
  DateToISOString,
  ErrorIsError,
  JSONStringify,
  MapForEach,
  MapSize,
  ObjectGetOwnPropertyDescriptor,
  ObjectGetPrototypeOf,
  ReflectOwnKeys,
  RegExpFlags,
  RegExpSource,
  SetForEach,
  SetSize,
  stackOf,
  StringConstructor,
  StringSlice,
  TypedArrayLength,
  TypedArrayName,
} from './intrinsics.ts';

const MAX_DEPTH = 4;
const MAX_ENTRIES = 100;
const MAX_TEXT = 16_384;

/** Reads an own data property, without calling a getter. */
function dataOf(value: object, key: PropertyKey): unknown {
  const descriptor = ObjectGetOwnPropertyDescriptor(value, key);
  return descriptor === undefined ? undefined : descriptor.value;
}

/** Reads an internal slot through its getter; undefined if the value does not have that slot. */
function readSlot(read: (value: unknown) => unknown, value: unknown): unknown {
  try {
    return read(value);
  } catch {
    return undefined;
  }
}

function className(value: object): string {
  const prototype = ObjectGetPrototypeOf(value);
  if (prototype === null) return '[null prototype]';
  const constructor = dataOf(prototype, 'constructor');
  if (typeof constructor !== 'function') return '';
  const name = dataOf(constructor, 'name');
  return typeof name === 'string' ? name : '';
}

/** Collects text up to a maximum length and drops the rest. */
class Writer {
  text = '';
  write(part: string): void {
    if (this.text.length < MAX_TEXT) this.text += part;
  }
  get full(): boolean {
    return this.text.length >= MAX_TEXT;
  }
}

function writeKey(out: Writer, key: PropertyKey): void {
  if (typeof key === 'symbol') out.write('[symbol]');
  else out.write(StringConstructor(key));
  out.write(': ');
}

function writeProperty(out: Writer, value: object, key: PropertyKey, depth: number): void {
  const descriptor = ObjectGetOwnPropertyDescriptor(value, key);
  if (descriptor === undefined) out.write('undefined');
  else if (descriptor.get !== undefined || descriptor.set !== undefined) out.write('[accessor]');
  else writeValue(out, descriptor.value, depth);
}

function writeEntries(
  out: Writer,
  value: object,
  open: string,
  close: string,
  depth: number,
): void {
  const isArray = ArrayIsArray(value);
  const keys = ReflectOwnKeys(value);
  out.write(open);
  let count = 0;
  for (let index = 0; index < keys.length && !out.full; index++) {
    const key = keys[index] as PropertyKey;
    if (isArray && key === 'length') continue;
    const descriptor = ObjectGetOwnPropertyDescriptor(value, key);
    if (descriptor === undefined || !descriptor.enumerable) continue;
    if (count === MAX_ENTRIES) {
      out.write(', …');
      break;
    }
    out.write(count === 0 ? (isArray ? '' : ' ') : ', ');
    if (!isArray) writeKey(out, key);
    writeProperty(out, value, key, depth + 1);
    count++;
  }
  if (!isArray && count > 0) out.write(' ');
  out.write(close);
}

function writeTypedArray(out: Writer, value: object, name: string): void {
  const length = TypedArrayLength(value) as number;
  out.write(`${name}(${length}) [`);
  for (let index = 0; index < length && !out.full; index++) {
    if (index === MAX_ENTRIES) {
      out.write(', …');
      break;
    }
    out.write(index === 0 ? '' : ', ');
    out.write(StringConstructor((value as Uint8Array)[index]));
  }
  out.write(']');
}

function writeCollection(
  out: Writer,
  value: object,
  size: number,
  isMap: boolean,
  depth: number,
): void {
  out.write(`${isMap ? 'Map' : 'Set'}(${size}) {`);
  let count = 0;
  const each = (first: unknown, second: unknown): void => {
    if (out.full || count > MAX_ENTRIES) return;
    out.write(count === 0 ? ' ' : ', ');
    if (count++ === MAX_ENTRIES) {
      out.write('…');
      return;
    }
    writeValue(out, isMap ? second : first, depth + 1);
    if (!isMap) return;
    out.write(' => ');
    writeValue(out, first, depth + 1);
  };
  if (isMap) MapForEach(value, each);
  else SetForEach(value, each);
  out.write(count > 0 ? ' }' : '}');
}

function writeObject(out: Writer, value: object, depth: number): void {
  const name = className(value);
  if (depth > MAX_DEPTH) {
    out.write(ArrayIsArray(value) ? '[Array]' : `[${name === '' ? 'Object' : name}]`);
    return;
  }
  if (ArrayIsArray(value)) return writeEntries(out, value, '[', ']', depth);
  const typed = TypedArrayName(value);
  if (typeof typed === 'string') return writeTypedArray(out, value, typed);
  const mapSize = readSlot(MapSize, value);
  if (typeof mapSize === 'number') return writeCollection(out, value, mapSize, true, depth);
  const setSize = readSlot(SetSize, value);
  if (typeof setSize === 'number') return writeCollection(out, value, setSize, false, depth);
  const time = readSlot(DateGetTime, value);
  if (typeof time === 'number') {
    out.write(time === time ? DateToISOString(value) : 'Invalid Date');
    return;
  }
  if (ErrorIsError(value)) {
    const stack = stackOf(value);
    const message = dataOf(value, 'message');
    if (typeof stack === 'string') out.write(stack);
    else out.write(`${name}: ${typeof message === 'string' ? message : ''}`);
    return;
  }
  // `source` alone proves that it is a RegExp: `flags` works on any object that has its properties.
  const source = readSlot(RegExpSource, value);
  if (typeof source === 'string') {
    out.write(`/${source}/${StringConstructor(readSlot(RegExpFlags, value))}`);
    return;
  }
  const label = name === '' || name === 'Object' ? '' : `${name} `;
  writeEntries(out, value, `${label}{`, '}', depth);
}

function writeValue(out: Writer, value: unknown, depth: number): void {
  if (out.full) return;
  switch (typeof value) {
    case 'string':
      out.write(depth === 0 ? value : JSONStringify(StringSlice(value, 0, MAX_TEXT)));
      return;
    case 'bigint':
      out.write(`${StringConstructor(value)}n`);
      return;
    case 'symbol':
      out.write(StringConstructor(value));
      return;
    case 'function': {
      const name = dataOf(value, 'name');
      out.write(typeof name === 'string' && name !== '' ? `[Function: ${name}]` : '[Function]');
      return;
    }
    case 'object':
      if (value === null) out.write('null');
      else writeObject(out, value, depth);
      return;
    case 'number':
    case 'boolean':
    case 'undefined':
      out.write(value === 0 && 1 / value < 0 ? '-0' : StringConstructor(value));
  }
}

/**
 * Formats a value for people: at most 16 384 characters, four levels, 100 entries per object. Does
 * not call getters, and never throws.
 */
export function inspect(value: unknown): string {
  const out = new Writer();
  try {
    writeValue(out, value, 0);
  } catch {
    out.write('[unreadable]');
  }
  return out.text.length > MAX_TEXT ? `${StringSlice(out.text, 0, MAX_TEXT)}…` : out.text;
}
