/**
 * All functions of the language that the guest runtime uses after guest code has started.
 *
 * Guest code may replace any method, getter or global. This module captures the originals before
 * guest code runs, so that a replacement cannot change what the runtime does.
 */

const { bind, call } = Function.prototype;

/** Turns a method into a function that takes its receiver as first argument. */
const uncurryThis = bind.bind(call) as <This, Args extends unknown[], Result>(
  method: (this: This, ...args: Args) => Result,
) => (self: This, ...args: Args) => Result;

/** Turns a getter into a function. It throws if the receiver does not have the internal slot. */
function uncurryGetter(prototype: object, key: PropertyKey): (self: unknown) => unknown {
  const getter = Object.getOwnPropertyDescriptor(prototype, key)?.get;
  if (getter === undefined) throw new Error(`No getter ${String(key)}.`);
  return uncurryThis(getter as (this: unknown) => unknown);
}

export const {
  create: ObjectCreate,
  defineProperty: ObjectDefineProperty,
  freeze: ObjectFreeze,
  getOwnPropertyDescriptor: ObjectGetOwnPropertyDescriptor,
  getPrototypeOf: ObjectGetPrototypeOf,
  keys: ObjectKeys,
} = Object;
export const {
  apply: ReflectApply,
  construct: ReflectConstruct,
  ownKeys: ReflectOwnKeys,
} = Reflect;
export const { isArray: ArrayIsArray } = Array;
export const { parse: JSONParse, stringify: JSONStringify } = JSON;
export const { ceil: MathCeil, imul: MathImul, max: MathMax } = Math;
export const { now: DateNow } = Date;
export const { isError: ErrorIsError } = Error as ErrorConstructor & {
  isError(value: unknown): boolean;
};

// Guest code may assign to `globalThis.Promise` and the like, so the runtime uses these constants.
export const PromiseConstructor = Promise;
export const MapConstructor = Map;
export const ErrorConstructorCaptured = Error;
export const TypeErrorConstructor = TypeError;
export const RangeErrorConstructor = RangeError;
export const Uint8ArrayConstructor = Uint8Array;
export const StringConstructor = String;
export const NumberConstructor = Number;
// oxlint-disable-next-line no-eval -- the guest runtime has to compile guest code
export const indirectEval = eval;

/** Nobody handles the promise that it returns, so the callbacks must not throw. */
export const PromiseThen = uncurryThis(Promise.prototype.then) as (
  promise: Promise<unknown>,
  onFulfilled: (value: unknown) => void,
  onRejected: (reason: unknown) => void,
) => void;

export const FunctionToString = uncurryThis(Function.prototype.toString);
export const MapGet = uncurryThis(Map.prototype.get);
export const MapSet = uncurryThis(Map.prototype.set);
export const MapDelete = uncurryThis(Map.prototype.delete);
export const MapClear = uncurryThis(Map.prototype.clear);
export const MapForEach = uncurryThis(Map.prototype.forEach);
export const MapSize = uncurryGetter(Map.prototype, 'size');
export const SetForEach = uncurryThis(Set.prototype.forEach);
export const SetSize = uncurryGetter(Set.prototype, 'size');
export const DateGetTime = uncurryThis(Date.prototype.getTime);
export const DateToISOString = uncurryThis(Date.prototype.toISOString);
export const RegExpSource = uncurryGetter(RegExp.prototype, 'source');
export const RegExpFlags = uncurryGetter(RegExp.prototype, 'flags');
export const StringIndexOf = uncurryThis(String.prototype.indexOf);
export const StringSlice = uncurryThis(String.prototype.slice);
export const StringCharCodeAt = uncurryThis(String.prototype.charCodeAt);
export const StringFromCharCode = String.fromCharCode;

const typedArrayPrototype = ObjectGetPrototypeOf(Uint8Array.prototype) as object;
/** `Uint8Array`, `Float64Array`, …, or undefined if the value is not a typed array. Never throws. */
export const TypedArrayName = uncurryGetter(typedArrayPrototype, Symbol.toStringTag);
export const TypedArrayLength = uncurryGetter(typedArrayPrototype, 'length');
export const TypedArrayBuffer = uncurryGetter(typedArrayPrototype, 'buffer');
export const TypedArrayByteLength = uncurryGetter(typedArrayPrototype, 'byteLength');
export const TypedArrayByteOffset = uncurryGetter(typedArrayPrototype, 'byteOffset');
export const DataViewBuffer = uncurryGetter(DataView.prototype, 'buffer');
export const DataViewByteLength = uncurryGetter(DataView.prototype, 'byteLength');
export const DataViewByteOffset = uncurryGetter(DataView.prototype, 'byteOffset');
export const ArrayBufferByteLength = uncurryGetter(ArrayBuffer.prototype, 'byteLength');

/** Defines a property that is not enumerable. Calls no setter and reads no prototype. */
export function defineValue(
  target: object,
  key: string,
  value: unknown,
  writable: boolean = true,
): void {
  ObjectDefineProperty(target, key, {
    __proto__: null,
    value,
    writable,
    enumerable: false,
    configurable: true,
  } as PropertyDescriptor);
}

/** Replaces a native constructor: its prototype leads guest code to the replacement only. */
export function replaceConstructor(
  native: { readonly prototype: object },
  replacement: object,
): void {
  ObjectDefineProperty(replacement, 'prototype', { value: native.prototype, writable: false });
  defineValue(native.prototype, 'constructor', replacement);
}

/** V8's getter of an error's own `stack` property; undefined where `stack` is a data property. */
const StackGetter = ObjectGetOwnPropertyDescriptor(new Error('probe'), 'stack')?.get;

/** The stack of an error. Never calls an accessor that guest code has defined. */
export function stackOf(error: object): unknown {
  const descriptor = ObjectGetOwnPropertyDescriptor(error, 'stack');
  if (descriptor === undefined) return undefined;
  const isNative = StackGetter !== undefined && descriptor.get === StackGetter;
  return isNative ? ReflectApply(StackGetter, error, []) : descriptor.value;
}
