import type { PathFrame } from '../path.ts';
import {
  constructObject,
  defineData,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  mapGet,
  ownEnumerableKeys,
  setProperty,
} from '../primordials.ts';
import { tagText } from '../tags.ts';
import type { Kind, KindReader } from './kind.ts';
import type { ReadPass, WireNode } from './read-pass.ts';
import type { WritePass } from './write-pass.ts';

type ErrorClass = abstract new () => Error;

const classes = new Map<string, ErrorClass>();
const namesByPrototype = new Map<object, string>();
for (const errorClass of [
  Error,
  AggregateError,
  EvalError,
  RangeError,
  ReferenceError,
  SuppressedError,
  SyntaxError,
  TypeError,
  URIError,
]) {
  classes.set(errorClass.name, errorClass as unknown as ErrorClass);
  namesByPrototype.set(errorClass.prototype, errorClass.name);
}
const ErrorConstructor = Error;
const NO_ARGUMENTS: readonly unknown[] = Object.freeze([]);

/** Non-enumerable properties of errors that may have any value. */
export const HIDDEN_FIELDS = ['cause', 'errors', 'error', 'suppressed'] as const;
const OPTIONAL_FIELDS = ['name', 'message', 'stack', 'properties', ...HIDDEN_FIELDS];

/**
 * Writes an error with its nearest built-in class, its name, its message and its own enumerable
 * properties. A class of the application is not preserved: that needs a custom type.
 */
export function writeError(
  writer: WritePass,
  value: object,
  parent: PathFrame | undefined,
): string {
  if (writer.settings.isPython) throw writer.unsupported('an Error', value, parent);
  const frame = writer.open(value, parent, 'property');
  const className = nearestClass(value);
  const read = (name: string): unknown => {
    frame.key = name;
    return (value as Record<string, unknown>)[name]; // Read once: it may be an accessor.
  };
  const isHidden = (name: string): boolean => {
    const descriptor = getOwnPropertyDescriptor(value, name);
    return descriptor !== undefined && hasOwn(descriptor, 'enumerable') && !descriptor.enumerable;
  };
  const isVisible = (name: string): boolean => hasOwn(value, name) && !isHidden(name);

  let text = ',"class":"' + className + '"';
  if (!isVisible('name')) {
    const name = read('name');
    if (typeof name === 'string' && name !== className) {
      text += ',"name":' + writer.writeString(name, frame);
    }
  }
  if (!isVisible('message')) {
    const message = read('message');
    // An empty message from a prototype carries no information.
    if (typeof message === 'string' && (message !== '' || hasOwn(value, 'message'))) {
      text += ',"message":' + writer.writeString(message, frame);
    }
  }
  if (writer.settings.errorStacks && isHidden('stack')) {
    const stack = read('stack');
    if (typeof stack === 'string') text += ',"stack":' + writer.writeString(stack, frame);
  }
  for (let at = 0; at < HIDDEN_FIELDS.length; at++) {
    const name = HIDDEN_FIELDS[at] as string; // The index is in bounds.
    if (isHidden(name)) text += ',"' + name + '":' + writer.write(read(name), frame);
  }
  const properties = writeProperties(writer, value, frame);
  if (properties !== '') text += ',"properties":[' + properties + ']';
  writer.close(frame);
  return tagText('error', text);
}

/** The nearest built-in error class in the prototype chain. */
function nearestClass(value: object): string {
  let prototype = getPrototypeOf(value);
  // Bounded, because a Proxy can make the chain endless. Real chains are shorter.
  for (let steps = 0; prototype !== null && steps < 100; steps++) {
    const name = mapGet(namesByPrototype, prototype) as string | undefined;
    if (name !== undefined) return name;
    prototype = getPrototypeOf(prototype);
  }
  return 'Error';
}

/** Pairs of the enumerable properties, and of a `code` from the prototype. */
function writeProperties(writer: WritePass, value: object, frame: PathFrame): string {
  const names = ownEnumerableKeys(value);
  let text = '';
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as string; // The index is in bounds.
    frame.key = name;
    const property = (value as Record<string, unknown>)[name]; // Read once: it may be an accessor.
    text += propertyPair(writer, name, property, text, frame);
  }
  if (hasOwn(value, 'code')) return text;
  frame.key = 'code';
  const { code } = value as { code?: unknown };
  return typeof code === 'string' || typeof code === 'number'
    ? text + propertyPair(writer, 'code', code, text, frame)
    : text;
}

function propertyPair(
  writer: WritePass,
  name: string,
  property: unknown,
  before: string,
  frame: PathFrame,
): string {
  return (
    (before === '' ? '[' : ',[') +
    writer.writeString(name, frame) +
    ',' +
    writer.write(property, frame) +
    ']'
  );
}

/** Creates an error without message and stack: its stack would be that of this reader. */
function makeError(errorClass: ErrorClass): object {
  // A property of V8 that TypeScript's library does not have.
  const { stackTraceLimit } = ErrorConstructor as { stackTraceLimit?: unknown };
  // Capturing a stack costs more than all the rest. If this cannot be set, it is only slower.
  setProperty(ErrorConstructor, 'stackTraceLimit', 0);
  // Not by its own constructor: that of AggregateError would iterate.
  const made = constructObject(ErrorConstructor, NO_ARGUMENTS, errorClass) as Error;
  setProperty(ErrorConstructor, 'stackTraceLimit', stackTraceLimit);
  delete (made as { stack?: string }).stack;
  return made;
}

/** Creates the error of a node with its text fields; the caller reads the others. */
export function openError(
  reader: ReadPass,
  node: WireNode,
  parent: PathFrame | undefined,
): PathFrame {
  reader.requireFields(node, ['class'], OPTIONAL_FIELDS, parent);
  const className = node['class'];
  const errorClass = typeof className === 'string' ? mapGet(classes, className) : undefined;
  if (errorClass === undefined) throw reader.malformed('Not a class', className, parent);
  const made = makeError(errorClass as ErrorClass);
  const frame = reader.open(made, parent, 'property');
  defineText(reader, node, 'name', made, frame);
  defineText(reader, node, 'message', made, frame);
  defineText(reader, node, 'stack', made, frame);
  return frame;
}

const readError: KindReader = (reader, node, parent) => {
  const frame = openError(reader, node, parent);
  const made = frame.container;
  for (let at = 0; at < HIDDEN_FIELDS.length; at++) {
    const name = HIDDEN_FIELDS[at] as string; // The index is in bounds.
    if (!hasOwn(node, name)) continue;
    frame.key = name;
    defineData(made, name, reader.read(node[name], frame), false);
  }
  if (hasOwn(node, 'properties')) readProperties(reader, node['properties'], made, frame);
  return made;
};

function defineText(
  reader: ReadPass,
  node: WireNode,
  name: string,
  made: object,
  frame: PathFrame,
): void {
  if (!hasOwn(node, name)) return;
  frame.key = name;
  defineData(made, name, reader.text(node[name], frame), false);
}

function readProperties(reader: ReadPass, list: unknown, made: object, frame: PathFrame): void {
  const pairs = reader.list(list, frame);
  for (let at = 0; at < pairs.length; at++) {
    const pair = propertyOf(reader, pairs[at], made, frame);
    defineData(made, pair[0] as string, reader.read(pair[1], frame)); // `propertyOf` checked the name.
  }
}

/** The name and the value of a property that the object does not have yet. */
export function propertyOf(
  reader: ReadPass,
  item: unknown,
  made: object,
  frame: PathFrame,
): readonly unknown[] {
  const pair = reader.pair(item, frame);
  const name = pair[0];
  if (typeof name !== 'string') throw reader.malformed('A key that is no string', name, frame);
  frame.key = name;
  if (hasOwn(made, name)) throw reader.malformed('A key twice', name, frame);
  return pair;
}

/** Errors are recognised by an internal slot, independent of their prototype. */
export const errors: Kind = { prototypes: [], readers: { error: readError } };
