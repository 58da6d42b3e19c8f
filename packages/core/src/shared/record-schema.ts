import { z } from 'zod';

/**
 * Schema of an object that is used as a record of names. Every own key counts, whatever its name:
 * zod's own record leaves `__proto__` out without a word, and refuses a key named `constructor`.
 */
export function recordSchema<T extends object>(): z.ZodCustom<T, T> {
  return z.custom<T>(
    (value) => {
      if (typeof value !== 'object' || value === null) return false;
      const prototype: unknown = Object.getPrototypeOf(value);
      return prototype === null || prototype === Object.prototype;
    },
    { error: 'must be a plain object' },
  );
}
