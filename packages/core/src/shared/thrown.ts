import { inspect } from 'node:util';

const MAX_TEXT = 16_384;

/** The parts of a value thrown by a function of the host that are passed on. */
export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly code?: string | number;
  readonly details?: unknown;
}

function text(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : fallback;
}

/** Reads a property; undefined if its getter throws. */
function read(value: unknown, key: string): unknown {
  try {
    return (value as Record<string, unknown> | null | undefined)?.[key];
  } catch {
    return undefined;
  }
}

/** Name, message, code and details of a thrown value; never its stack or anything else. */
export function readThrown(thrown: unknown): Thrown {
  const isObject = typeof thrown === 'object' && thrown !== null;
  const code = read(thrown, 'code');
  const details = read(thrown, 'details');
  return {
    name: text(read(thrown, 'name'), 'Error'),
    message: isObject ? text(read(thrown, 'message'), '') : text(thrown, inspect(thrown)),
    ...(typeof code === 'string' ? { code: text(code, '') } : {}),
    ...(typeof code === 'number' ? { code } : {}),
    ...(details === undefined ? {} : { details }),
  };
}
