import { z } from 'zod';

import { GloveboxError } from './errors.ts';

export const callback = <T>(): z.ZodCustom<T, T> =>
  z.custom<T>((value) => typeof value === 'function', { error: 'must be a function' });

/**
 * Schema of an object of a given class. It checks only that the object has a certain member (duck
 * typing), so an instance from another copy of the package is accepted.
 *
 * @param what What the object must be, with its article, for the error message.
 */
export const having = <T>(member: string, what: string): z.ZodCustom<T, T> =>
  z.custom<T>((value) => typeof value === 'object' && value !== null && member in value, {
    error: `must be ${what}`,
  });

export const abortSignal = z.custom<AbortSignal>((value) => value instanceof AbortSignal, {
  error: 'must be an AbortSignal',
});

/**
 * Validates the options of a public function.
 *
 * @param what Name of the function or class, for the error message.
 * @throws {GloveboxError} `INVALID_OPTIONS`, with the path of the first invalid option.
 */
export function checkOptions<T>(schema: z.ZodType<T>, options: unknown, what: string): T {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => {
    const at = path.map(String).join('.');
    return at === '' ? message : `${at}: ${message}`;
  });
  const first = parsed.error.issues[0]?.path.map(String).join('.');
  throw new GloveboxError('INVALID_OPTIONS', `Bad options for ${what}: ${faults.join('; ')}`, {
    ...(first === undefined ? {} : { path: first }),
    cause: parsed.error,
  });
}
