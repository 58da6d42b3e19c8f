import { inspect } from './inspect.ts';
import { ErrorIsError, JSONStringify, StringSlice } from './intrinsics.ts';

const MAX_NAME = 200;
const MAX_TEXT = 16_384;
const MAX_CAUSES = 5;

/** Reads a property as guest code would. A getter or proxy trap that throws gives undefined. */
function read(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

function quote(text: string, maxLength: number): string {
  return JSONStringify(text.length > maxLength ? `${StringSlice(text, 0, maxLength)}…` : text);
}

/**
 * The fields of a thrown value as JSON, without the braces. Concatenates quoted strings, so that
 * neither `toJSON` nor a prototype of the guest can change the result.
 */
function errorFields(thrown: unknown, depth = 0): string {
  if (typeof thrown !== 'object' || thrown === null || !isErrorLike(thrown)) {
    return `"name":"Error","message":${quote(inspect(thrown), MAX_TEXT)}`;
  }
  const name = read(thrown, 'name');
  const message = read(thrown, 'message');
  const stack = read(thrown, 'stack');
  const code = read(thrown, 'code');
  const cause = read(thrown, 'cause');
  let fields = `"name":${quote(typeof name === 'string' ? name : 'Error', MAX_NAME)}`;
  fields += `,"message":${quote(typeof message === 'string' ? message : inspect(message), MAX_TEXT)}`;
  if (typeof stack === 'string') fields += `,"stack":${quote(stack, MAX_TEXT)}`;
  if (typeof code === 'string') fields += `,"code":${quote(code, MAX_NAME)}`;
  if (typeof code === 'number' && code - code === 0) fields += `,"code":${code}`;
  if (cause !== undefined && depth < MAX_CAUSES) {
    fields += `,"cause":{${errorFields(cause, depth + 1)}}`;
  }
  return fields;
}

function isErrorLike(value: object): boolean {
  return ErrorIsError(value) || typeof read(value, 'message') === 'string';
}

/**
 * The JSON of a `GuestFailure`.
 *
 * @param extra More fields as JSON, each with a comma in front.
 */
export function failure(kind: string, thrown: unknown, extra = ''): string {
  return `{"kind":${JSONStringify(kind)},${errorFields(thrown)}${extra}}`;
}

function numberField(name: string, value: number | undefined): string {
  return typeof value === 'number' && value - value === 0 ? `,"${name}":${value}` : '';
}

/** Extra fields for {@link failure}: the limit and the amount used. */
export function limitFields(limit: number | undefined, used: number | undefined): string {
  return numberField('limit', limit) + numberField('used', used);
}

/** An extra field for {@link failure}: the path of the fault within the value. */
export function pathField(path: string): string {
  return `,"path":${quote(path, MAX_TEXT)}`;
}
