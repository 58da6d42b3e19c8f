import { fileURLToPath } from 'node:url';

/** Planted where only the caller and its hosts could find it. */
const SECRET = 'planted-secret-7d3f9c';
process.env['GLOVEBOX_PLANTED'] = SECRET;
Object.defineProperty(globalThis, 'gloveboxPlanted', { value: SECRET, configurable: true });

const WORKSPACE = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '');

/** Text that tells something about the machine; no guest may ever hold it. */
const MARKS: readonly string[] = [
  SECRET,
  WORKSPACE,
  process.execPath,
  'node_modules',
  'file://',
  'node:internal',
  '/isolated-vm',
];

/** Gathers every text in a value: keys, elements, entries, messages, stacks. */
function* textsOf(value: unknown, seen = new Set<object>()): Generator<string> {
  if (typeof value === 'string') yield value;
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    const bytes = value instanceof ArrayBuffer ? Buffer.from(value) : Buffer.from(value.buffer);
    yield bytes.toString('latin1');
    return;
  }
  if (value instanceof Map || value instanceof Set) {
    for (const part of [...value].flat()) yield* textsOf(part, seen);
  }
  if (Array.isArray(value) && value.length > 10_000) return;
  for (const key of Reflect.ownKeys(value)) {
    yield String(key);
    yield* textsOf(Reflect.get(value, key), seen);
  }
}

/** The marks of the machine that are found in a value. */
export function marksIn(value: unknown): string[] {
  const found = new Set<string>();
  for (const text of textsOf(value)) {
    for (const mark of MARKS) if (text.includes(mark)) found.add(mark);
  }
  return [...found];
}

/** Everything that code of this process inherits. */
const CONSTRUCTORS: readonly { readonly prototype: object }[] = [
  Object,
  Function,
  Array,
  String,
  Number,
  Boolean,
  Symbol,
  BigInt,
  Date,
  RegExp,
  Error,
  AggregateError,
  Promise,
  Map,
  Set,
  WeakMap,
  ArrayBuffer,
  Uint8Array,
  DataView,
  Buffer,
  URL,
];
const INTRINSICS: readonly object[] = [
  globalThis,
  ...CONSTRUCTORS.flatMap((constructor) => [constructor, constructor.prototype]),
];
const NAMESPACES: readonly object[] = [JSON, Math, Reflect, process.env];

type Shape = ReadonlyMap<object, ReadonlyMap<PropertyKey, unknown>>;

/** What the intrinsics of this process hold now. */
export function shapeOfHost(): Shape {
  const shape = new Map<object, ReadonlyMap<PropertyKey, unknown>>();
  for (const holder of [...INTRINSICS, ...NAMESPACES]) {
    const held = new Map<PropertyKey, unknown>();
    for (const key of Reflect.ownKeys(holder)) {
      // Node keeps what it loads late under symbols of the global object.
      if (holder === globalThis && typeof key === 'symbol') continue;
      const descriptor = Reflect.getOwnPropertyDescriptor(holder, key);
      held.set(key, descriptor?.get ?? descriptor?.value);
    }
    shape.set(holder, held);
  }
  return shape;
}

/** The properties in which the intrinsics of this process differ from what they were. */
export function changesOfHost(before: Shape): string[] {
  const changes: string[] = [];
  const now = shapeOfHost();
  for (const [holder, held] of now) {
    const old = before.get(holder);
    const keys = new Set([...held.keys(), ...(old?.keys() ?? [])]);
    for (const key of keys) {
      // Named rather than compared: some globals of Node are made anew by each reading.
      const isSame =
        old?.has(key) === true && held.has(key) && Object.is(old.get(key), held.get(key));
      if (!isSame) changes.push(String(key));
    }
  }
  return changes;
}
