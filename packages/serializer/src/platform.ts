/**
 * What the surroundings offer beyond ECMAScript, taken when the module is evaluated; each is
 * `undefined` in a bare isolate.
 */

interface Base64Writer {
  toString(encoding: 'base64'): string;
}
interface BufferConstructorLike {
  readonly prototype: object;
  byteLength(text: string): number;
  allocUnsafeSlow(
    length: number,
  ): Uint8Array<ArrayBuffer> & { write(text: string, encoding: 'base64'): number };
  from(buffer: ArrayBufferLike, byteOffset: number, length: number): Base64Writer & Uint8Array;
}
interface UrlConstructorLike {
  readonly prototype: object;
  new (href: string): object;
}
interface Surroundings {
  readonly Buffer?: BufferConstructorLike;
  readonly URL?: UrlConstructorLike;
  readonly process?: {
    getBuiltinModule?(name: 'node:util'): { types: { isProxy(value: unknown): boolean } };
  };
}

// What is present depends on where this runs, so the type says "maybe" throughout.
const surroundings = globalThis as Surroundings;

export const BufferConstructor = surroundings.Buffer;
export const UrlConstructor = surroundings.URL;

const nodeIsProxy = surroundings.process?.getBuiltinModule?.('node:util').types.isProxy;

/** Whether `isProxy` knows; ECMAScript alone has no way to tell. */
export const canTellProxies = nodeIsProxy !== undefined;

/**
 * Whether a value is a Proxy; where nobody can tell, none is. Reading through one does no harm then,
 * as each property is read once and every budget holds.
 */
export const isProxy: (value: unknown) => boolean = nodeIsProxy ?? (() => false);

/** Bytes of a text in UTF-8. */
export const utf8Length: ((text: string) => number) | undefined = BufferConstructor?.byteLength;
