/**
 * Functions of the platform beyond ECMAScript, captured when the module is evaluated. Each is
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
interface PlatformGlobals {
  readonly Buffer?: BufferConstructorLike;
  readonly URL?: UrlConstructorLike;
  readonly process?: {
    getBuiltinModule?(name: 'node:util'): { types: { isProxy(value: unknown): boolean } };
  };
}

// Which globals exist depends on the platform, so all of them are optional in the type.
const globals = globalThis as PlatformGlobals;

export const BufferConstructor = globals.Buffer;
export const UrlConstructor = globals.URL;

const nodeIsProxy = globals.process?.getBuiltinModule?.('node:util').types.isProxy;

/** Whether `isProxy` can detect Proxies; ECMAScript alone cannot. */
export const canTellProxies = nodeIsProxy !== undefined;

/**
 * Whether a value is a Proxy; always false if Proxies cannot be detected. Reading through a Proxy
 * is then harmless, because each property is read once and all limits apply.
 */
export const isProxy: (value: unknown) => boolean = nodeIsProxy ?? (() => false);

/** Number of bytes of a text in UTF-8. */
export const utf8Length: ((text: string) => number) | undefined = BufferConstructor?.byteLength;
