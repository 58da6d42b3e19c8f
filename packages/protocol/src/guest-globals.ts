/**
 * The names on a guest's global object. The guest runtime defines {@link PROVIDED_GLOBALS} and
 * deletes {@link OPTIONAL_GLOBALS}. The executor refuses variables and tools that would shadow one
 * of these names. A test compares the lists with the globals that guest code finds.
 */

/** Globals of the language itself. */
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

/** Globals of the language that guests get only if the executor's options name them. */
export const OPTIONAL_GLOBALS = ['WebAssembly', 'SharedArrayBuffer', 'Atomics'] as const;

/** Globals that the guest runtime defines before any guest code runs. */
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

/** The global that holds the tools by name. Each run has its own. */
export const TOOLS_GLOBAL = 'tools';
