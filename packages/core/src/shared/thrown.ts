import { inspect } from 'node:util';

const MAX_TEXT = 16_384;

/** What is passed on of a value that a function of the host threw. */
export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly code?: string | number;
  readonly details?: unknown;
}

function text(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : otherwise;
}

/** What a thrown value carries, read so that its getters cannot throw. */
function read(value: unknown, key: string): unknown {
  try {
    return (value as Record<string, unknown> | null | undefined)?.[key];
  } catch {
    return undefined;
  }
}

/** Name, message, code and details of what was thrown; never its stack or anything else. */
export function readThrown(thrown: unknown): Thrown {
  const isObject = typeof thrown === 'object' && thrown !== null;
  const code = read(thrown, 'code');
  const details = read(thrown, 'details');
  return {
    name: text(read(thrown, 'name'), 'Error'),
    message: isObject ? text(read(thrown, 'message'), '') : text(thrown, inspect(thrown)),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(details === undefined ? {} : { details }),
  };
}
