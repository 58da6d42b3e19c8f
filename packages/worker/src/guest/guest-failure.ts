import { MAX_FAILURE_BYTES } from '@glovebox/protocol/frame-limits';

import { inspect } from './inspect.ts';
import { ErrorIsError, JSONStringify, StringSlice } from './intrinsics.ts';
import { utf8Bytes } from './utf8.ts';

const MAX_NAME = 200;
const MAX_TEXT = 16_384;
const MAX_CAUSES = 5;
/** The most bytes that one UTF-16 unit takes in JSON: `\\u0001`. */
const ESCAPED_BYTES = 6;
/** If fewer bytes are left, the rest of the text is omitted. */
const LEAST_BYTES = 64;

/** Bytes that are left for the current failure. Its causes share them. */
let left = 0;

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

/** A text as JSON, cut to the given length and to the bytes that are left. */
function quoteWithin(text: string, maxLength: number): string {
  let quoted = quote(text, maxLength);
  if (utf8Bytes(quoted, left) > left) {
    const fits = left > LEAST_BYTES ? (left - LEAST_BYTES) / ESCAPED_BYTES : 0;
    quoted = JSONStringify(`${StringSlice(text, 0, fits)}…`);
  }
  const bytes = utf8Bytes(quoted, left);
  left = bytes < left ? left - bytes : 0;
  return quoted;
}

/**
 * The fields of a thrown value as JSON, without the braces. Concatenates quoted strings, so that
 * neither `toJSON` nor a prototype of the guest can change the result.
 */
function errorFields(thrown: unknown, depth = 0): string {
  if (typeof thrown !== 'object' || thrown === null || !isErrorLike(thrown)) {
    return `"name":"Error","message":${quoteWithin(inspect(thrown), MAX_TEXT)}`;
  }
  const name = read(thrown, 'name');
  const message = read(thrown, 'message');
  const stack = read(thrown, 'stack');
  const code = read(thrown, 'code');
  const cause = read(thrown, 'cause');
  let fields = `"name":${quoteWithin(typeof name === 'string' ? name : 'Error', MAX_NAME)}`;
  fields += `,"message":${quoteWithin(typeof message === 'string' ? message : inspect(message), MAX_TEXT)}`;
  if (typeof stack === 'string') fields += `,"stack":${quoteWithin(stack, MAX_TEXT)}`;
  if (typeof code === 'string') fields += `,"code":${quoteWithin(code, MAX_NAME)}`;
  if (typeof code === 'number' && code - code === 0) fields += `,"code":${code}`;
  if (cause !== undefined && depth < MAX_CAUSES && left > 0) {
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
  left = MAX_FAILURE_BYTES - utf8Bytes(extra, MAX_FAILURE_BYTES);
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
