import { z } from 'zod';

/**
 * Schema of a plain object that maps names to values. It accepts every own key: zod's `record`
 * silently drops `__proto__`, and refuses a key named `constructor`.
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
