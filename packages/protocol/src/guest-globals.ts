/**
 * The names on a guest's global object. The guest runtime makes {@link PROVIDED_GLOBALS} and takes
 * {@link OPTIONAL_GLOBALS} away; the check of names refuses variables and tools that would hide one
 * of them; a test holds the list against what guest code finds.
 */

/** What the language itself has. */
export const LANGUAGE_GLOBALS = [
  'AggregateError',
  'Array',
  'ArrayBuffer',
  'AsyncDisposableStack',
  'BigInt',
  'BigInt64Array',
  'BigUint64Array',
  'Boolean',
  'DataView',
  'Date',
  'DisposableStack',
  'Error',
  'EvalError',
  'FinalizationRegistry',
  'Float16Array',
  'Float32Array',
  'Float64Array',
  'Function',
  'Infinity',
  'Int16Array',
  'Int32Array',
  'Int8Array',
  'Intl',
  'Iterator',
  'JSON',
  'Map',
  'Math',
  'NaN',
  'Number',
  'Object',
  'Promise',
  'Proxy',
  'RangeError',
  'ReferenceError',
  'Reflect',
  'RegExp',
  'Set',
  'String',
  'SuppressedError',
  'Symbol',
  'SyntaxError',
  'Temporal',
  'TypeError',
  'URIError',
  'Uint16Array',
  'Uint32Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'WeakMap',
  'WeakRef',
  'WeakSet',
  'decodeURI',
  'decodeURIComponent',
  'encodeURI',
  'encodeURIComponent',
  'escape',
  'eval',
  'globalThis',
  'isFinite',
  'isNaN',
  'parseFloat',
  'parseInt',
  'undefined',
  'unescape',
] as const;

/** Parts of the language that guests do without unless they were asked for by name. */
export const OPTIONAL_GLOBALS = ['WebAssembly', 'SharedArrayBuffer', 'Atomics'] as const;

/** What the guest runtime adds, before any guest code. */
export const PROVIDED_GLOBALS = [
  'TextDecoder',
  'TextEncoder',
  'atob',
  'btoa',
  'clearInterval',
  'clearTimeout',
  'console',
  'performance',
  'setInterval',
  'setTimeout',
  'structuredClone',
] as const;

export type ProvidedGlobal = (typeof PROVIDED_GLOBALS)[number];

/** The tools of a run by name; there is one for each run. */
export const TOOLS_GLOBAL = 'tools';
