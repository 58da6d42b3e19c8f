/**
 * The intrinsics that this package uses, captured when the module is evaluated.
 *
 * Inside an isolate, guest code runs later and may replace every method of every prototype. The
 * functions below are never looked up again, so replaced methods do not affect serialization.
 */

const { bind, call } = Function.prototype;

/** Turns a method into a function whose first argument is the receiver. */
export const uncurry = bind.bind(call) as unknown as <Args extends readonly unknown[], Result>(
  // TypeScript infers no useful type for `bind.bind(call)`; this is its real signature.
  method: (...args: Args) => Result,
) => (receiver: unknown, ...args: Args) => Result;

/** The getter of an accessor, as a function of the receiver. */
export function uncurryGetter<Result>(
  holder: object,
  key: PropertyKey,
): (receiver: unknown) => Result {
  const descriptor = Reflect.getOwnPropertyDescriptor(holder, key);
  // All callers name an accessor of ECMAScript; the descriptor type does not know its result.
  return uncurry(descriptor?.get as () => Result);
}

export const isArray: (value: unknown) => value is unknown[] = Array.isArray;
export const isError: (value: unknown) => boolean = Error.isError;
const { defineProperty } = Object;
export const freeze = Object.freeze;
export const getOwnPropertyDescriptor = Object.getOwnPropertyDescriptor;
export const getOwnPropertyNames = Object.getOwnPropertyNames;
export const getOwnPropertySymbols = Object.getOwnPropertySymbols;
export const getPrototypeOf: (value: object) => object | null = Object.getPrototypeOf;
export const hasOwn: (value: object, key: PropertyKey) => boolean = Object.hasOwn;
export const ownEnumerableKeys: (value: object) => string[] = Object.keys;
export const ownKeys: (value: object) => (string | symbol)[] = Reflect.ownKeys;
export const parseJson: (text: string) => unknown = JSON.parse;
export const stringifyJson: (value: unknown) => string = JSON.stringify;
export const isFiniteNumber = Number.isFinite;
export const isInteger = Number.isInteger as (value: unknown) => value is number;
export const isSafeInteger = Number.isSafeInteger as (value: unknown) => value is number;
export const { floor } = Math;
export const toBigInt = BigInt;
export const { fromCharCode } = String;
export const applyFunction = Reflect.apply;
export const constructObject = Reflect.construct;
export const deleteProperty = Reflect.deleteProperty;
export const setProperty = Reflect.set;
/** `NaN`, independent of the global property. */
export const NOT_A_NUMBER = 0 / 0;

export const ObjectPrototype: object = Object.prototype;
export const ArrayPrototype: object = Array.prototype;
export const DatePrototype: object = Date.prototype;

export const charCodeAt = uncurry(String.prototype.charCodeAt);
export const endsWith = uncurry(String.prototype.endsWith);
export const includes = uncurry(String.prototype.includes);
export const indexOf = uncurry(String.prototype.indexOf);
export const isWellFormed = uncurry(String.prototype.isWellFormed);
export const lastIndexOf = uncurry(String.prototype.lastIndexOf);
export const repeat = uncurry(String.prototype.repeat);
export const slice = uncurry(String.prototype.slice);
export const startsWith = uncurry(String.prototype.startsWith);
export const bigIntToString = uncurry(BigInt.prototype.toString);
/** `exec`, only for RegExps of this package: it reads no property of them that can be replaced. */
export const execRegExp = uncurry(RegExp.prototype.exec);

export const MapConstructor = Map;
export const SetConstructor = Set;
export const mapDelete = uncurry(Map.prototype.delete);
export const mapForEach = uncurry(Map.prototype.forEach) as (
  receiver: unknown,
  visit: (value: unknown, key: unknown) => void,
) => void;
export const mapGet = uncurry(Map.prototype.get);
export const mapHas = uncurry(Map.prototype.has);
export const mapSet = uncurry(Map.prototype.set);
export const mapSize = uncurryGetter<number>(Map.prototype, 'size');
export const setAdd = uncurry(Set.prototype.add);
export const setForEach = uncurry(Set.prototype.forEach) as (
  receiver: unknown,
  visit: (value: unknown) => void,
) => void;
export const setHas = uncurry(Set.prototype.has);
export const setSize = uncurryGetter<number>(Set.prototype, 'size');

export const weakSetAdd = uncurry(WeakSet.prototype.add);
export const weakSetHas = uncurry(WeakSet.prototype.has);

export const copyArray = uncurry(Array.prototype.slice) as (items: unknown[]) => unknown[];
/** Called without a receiver, it creates plain arrays and defines elements without setters. */
export const arrayFrom: <Item>(items: ArrayLike<unknown>, map: () => Item) => Item[] = Array.from;
export const DataViewConstructor = DataView;
export const DateConstructor = Date;
export const Int8ArrayConstructor = Int8Array;
export const NumberConstructor = Number;
export const RegExpConstructor = RegExp;
export const Uint8ArrayConstructor = Uint8Array;
export const dateGetTime = uncurry(Date.prototype.getTime);

/**
 * Defines a property like an assignment, without running setters that a guest may have put on a
 * prototype. The descriptor has no prototype, because `defineProperty` also reads inherited fields.
 */
export function defineData(
  target: object,
  key: PropertyKey,
  value: unknown,
  enumerable = true,
): void {
  defineProperty(target, key, {
    // @ts-expect-error: the type of a descriptor has no `__proto__`.
    __proto__: null,
    configurable: true,
    enumerable,
    value,
    writable: true,
  });
}

/** An own field of an object from the caller, ignoring fields of its prototype. */
export function ownField<Holder extends object, Key extends keyof Holder>(
  holder: Holder,
  key: Key,
): Holder[Key] | undefined {
  return hasOwn(holder, key) ? holder[key] : undefined;
}
