/**
 * Everything of the language that the guest runtime uses after guest code has started.
 *
 * Guest code may replace any method, getter or global. What is captured here was captured before
 * it ran, so no later replacement decides what the runtime does.
 */

const { bind, call } = Function.prototype;

/** Turns a method into a function that takes its receiver as first argument. */
const uncurryThis = bind.bind(call) as <This, Args extends unknown[], Result>(
  method: (this: This, ...args: Args) => Result,
) => (self: This, ...args: Args) => Result;

/** A getter of a prototype as a function; it throws when the receiver has no such internal slot. */
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

// The constructors themselves: a guest that assigns to `globalThis.Promise` must not reach ours.
export const PromiseConstructor = Promise;
export const MapConstructor = Map;
export const ErrorConstructorCaptured = Error;
export const TypeErrorConstructor = TypeError;
export const RangeErrorConstructor = RangeError;
export const Uint8ArrayConstructor = Uint8Array;
export const StringConstructor = String;
export const NumberConstructor = Number;
// oxlint-disable-next-line no-eval -- compiling guest code is what a guest runtime is for
export const indirectEval = eval;

/** The promise that it returns is nobody's: what the callbacks do must not throw. */
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
/** `Uint8Array`, `Float64Array`, … or undefined for what is no typed array. Never throws. */
export const TypedArrayName = uncurryGetter(typedArrayPrototype, Symbol.toStringTag);
export const TypedArrayLength = uncurryGetter(typedArrayPrototype, 'length');
export const TypedArrayBuffer = uncurryGetter(typedArrayPrototype, 'buffer');
export const TypedArrayByteLength = uncurryGetter(typedArrayPrototype, 'byteLength');
export const TypedArrayByteOffset = uncurryGetter(typedArrayPrototype, 'byteOffset');
export const DataViewBuffer = uncurryGetter(DataView.prototype, 'buffer');
export const DataViewByteLength = uncurryGetter(DataView.prototype, 'byteLength');
export const DataViewByteOffset = uncurryGetter(DataView.prototype, 'byteOffset');
export const ArrayBufferByteLength = uncurryGetter(ArrayBuffer.prototype, 'byteLength');

/** Gives an object a property that is not enumerable, without asking a prototype or setter. */
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

/** Lets a constructor take another one's place: guest code finds the other one nowhere. */
export function takePlaceOf(native: { readonly prototype: object }, constructor: object): void {
  ObjectDefineProperty(constructor, 'prototype', { value: native.prototype, writable: false });
  defineValue(native.prototype, 'constructor', constructor);
}

/** The getter that V8 gives each error for its `stack`, where that is no plain property. */
const StackGetter = ObjectGetOwnPropertyDescriptor(new Error('probe'), 'stack')?.get;

/** The stack of an error, unless guest code has put an accessor of its own in its place. */
export function stackOf(error: object): unknown {
  const descriptor = ObjectGetOwnPropertyDescriptor(error, 'stack');
  if (descriptor === undefined) return undefined;
  const isNative = StackGetter !== undefined && descriptor.get === StackGetter;
  return isNative ? ReflectApply(StackGetter, error, []) : descriptor.value;
}
