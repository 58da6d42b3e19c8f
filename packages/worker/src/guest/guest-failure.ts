import { inspect } from './inspect.ts';
import { ErrorIsError, JSONStringify, StringSlice } from './intrinsics.ts';

const MAX_NAME = 200;
const MAX_TEXT = 16_384;
const MAX_CAUSES = 5;

/** A property as guest code would see it; a getter or proxy trap that throws gives undefined. */
function read(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

function quote(text: string, most: number): string {
  return JSONStringify(text.length > most ? `${StringSlice(text, 0, most)}…` : text);
}

/**
 * The fields of a thrown value as the inside of a JSON object. Built by concatenation of quoted
 * strings, so that no `toJSON` and no prototype has a say.
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

/** The JSON of a failure of the given kind. */
export function failure(kind: string, thrown: unknown, extra = ''): string {
  return `{"kind":${JSONStringify(kind)},${errorFields(thrown)}${extra}}`;
}

function numberField(name: string, value: number | undefined): string {
  return typeof value === 'number' && value - value === 0 ? `,"${name}":${value}` : '';
}

/** More fields for {@link failure}: where, how much was allowed, how much was used. */
export function limitFields(limit: number | undefined, used: number | undefined): string {
  return numberField('limit', limit) + numberField('used', used);
}

export function pathField(path: string): string {
  return `,"path":${quote(path, MAX_TEXT)}`;
}
