import { getPrototypeOf, MapConstructor, mapGet, mapHas, mapSet } from './primordials.ts';
import { SerializationError } from './serialization-error.ts';

/** A pair of conversions, such as a codec of zod 4. */
export interface Codec<Decoded, Encoded> {
  encode(value: Decoded): Encoded;
  decode(data: Encoded): Decoded;
}

interface CustomTypeName {
  /** The tag in the text: any name that is not a built-in tag, unique in its serializer. */
  readonly name: string;
}

/** Selects the objects of the type. It is never applied to plain objects and arrays. */
type CustomTypeSelector<Value> =
  | {
      /** Selects objects whose prototype is exactly that of this class. */
      // eslint-disable-next-line typescript/no-explicit-any -- The parameters do not matter here.
      readonly class: abstract new (...args: never[]) => Value;
    }
  | { readonly isApplicable: (value: object) => boolean };

/** The conversion. Its result is serialized too, so it may contain any supported value. */
type CustomTypeConversion<Value, Data> =
  | {
      readonly serialize: (value: Value) => Data;
      readonly deserialize: (data: Data) => Value;
    }
  | { readonly codec: Codec<Value, Data> };

export type CustomType<Value extends object = object, Data = unknown> = CustomTypeName &
  CustomTypeSelector<Value> &
  CustomTypeConversion<Value, Data>;

/** A registered type in one uniform notation. */
export interface RegisteredType {
  readonly name: string;
  readonly isApplicable: (value: object) => boolean;
  readonly serialize: (value: object) => unknown;
  readonly deserialize: (data: unknown) => unknown;
  /** The next type: types are tried in the order of their registration. */
  next: RegisteredType | undefined;
}

/** The custom types of one serializer. */
export class CustomTypes {
  readonly #byName = new MapConstructor<string, RegisteredType>();
  #first: RegisteredType | undefined;
  #last: RegisteredType | undefined;

  add<Value extends object, Data>(
    type: CustomType<Value, Data>,
    isReserved: (name: string) => boolean,
  ): void {
    const { name } = type;
    if (typeof name !== 'string' || name === '') throw refusal('A custom type needs a name', name);
    if (isReserved(name)) throw refusal('The tag ' + name + ' is built in', name);
    if (mapHas(this.#byName, name)) throw refusal('The tag ' + name + ' is registered twice', name);
    // The list holds types of different values; each type gets only values that it selects.
    const registered = normalize(type) as RegisteredType;
    mapSet(this.#byName, name, registered);
    if (this.#last === undefined) this.#first = registered;
    else this.#last.next = registered;
    this.#last = registered;
  }

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  byName(name: string): RegisteredType | undefined {
    return mapGet(this.#byName, name) as RegisteredType | undefined;
  }

  for(value: object): RegisteredType | undefined {
    let type = this.#first;
    while (type !== undefined && !type.isApplicable(value)) type = type.next;
    return type;
  }
}

/** Shared by serializers without custom types. */
export const NO_CUSTOM_TYPES = new CustomTypes();

function normalize<Value extends object, Data>(type: CustomType<Value, Data>): unknown {
  const { name } = type;
  const isApplicable =
    'class' in type ? isExactly(type.class.prototype as object) : type.isApplicable;
  if (typeof isApplicable !== 'function') throw refusal('A custom type needs a class', name);
  if ('codec' in type) {
    const { codec } = type;
    return {
      name,
      isApplicable,
      serialize: (value: Value) => codec.encode(value),
      deserialize: (data: Data) => codec.decode(data),
      next: undefined,
    };
  }
  const { serialize, deserialize } = type;
  return { name, isApplicable, serialize, deserialize, next: undefined };
}

function isExactly(prototype: object): (value: object) => boolean {
  return (value) => getPrototypeOf(value) === prototype;
}

function refusal(reason: string, value: unknown): SerializationError {
  return new SerializationError('UNSUPPORTED_TYPE', reason, { value });
}
