import { GloveboxError } from './errors.ts';

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;
const MAX_LENGTH = 256;

/** Words that no strict-mode function can bind or call. */
const RESERVED = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum ' +
    'eval export extends false finally for function if implements import in instanceof interface ' +
    'let new null package private protected public return static super switch this throw true try ' +
    'typeof var void while with yield'
  ).split(' '),
);

/** Globals of the guest, which a variable would hide from all of its code. */
const GLOBALS = new Set(
  (
    'AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array ' +
    'BigUint64Array Boolean DataView Date DisposableStack Error EvalError FinalizationRegistry ' +
    'Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl ' +
    'Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp ' +
    'Set SharedArrayBuffer String SuppressedError Symbol SyntaxError Temporal TextDecoder ' +
    'TextEncoder TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap ' +
    'WeakRef WeakSet WebAssembly atob btoa clearInterval clearTimeout console decodeURI ' +
    'decodeURIComponent encodeURI encodeURIComponent escape globalThis isFinite isNaN parseFloat ' +
    'parseInt performance setInterval setTimeout structuredClone tools undefined unescape ' +
    '__proto__ constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString ' +
    'toString valueOf __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__'
  ).split(' '),
);

/**
 * Refuses a name that guest code could not use as it stands.
 *
 * @throws {GloveboxError} `INVALID_NAME`.
 */
export function checkName(kind: 'variable' | 'tool', name: string): void {
  const refuse = (why: string): never => {
    const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name;
    throw new GloveboxError('INVALID_NAME', `The ${kind} name ${JSON.stringify(shown)} ${why}.`, {
      path: `${kind}s`,
    });
  };
  if (name.length > MAX_LENGTH) refuse(`is longer than ${MAX_LENGTH} characters`);
  if (!IDENTIFIER.test(name)) refuse('is not a JavaScript identifier');
  if (RESERVED.has(name)) refuse('is a reserved word');
  if (GLOBALS.has(name)) refuse('would hide a global of the guest');
  // `await tools` would call it.
  if (kind === 'tool' && name === 'then') refuse('would make the tools look like a promise');
}
