import { z } from 'zod';

import { LIMIT_NAMES, LIMITS } from './limits.ts';
import type { LimitName } from './limits.ts';

function limitSchema(name: LimitName): z.ZodOptional<z.ZodNumber> {
  const { unit, min, max } = LIMITS[name];
  const error = `${name} is in ${unit}, from ${min} to ${max}`;
  return z.int({ error }).min(min, error).max(max, error).optional();
}

type Shape = { readonly [Name in LimitName]: z.ZodOptional<z.ZodNumber> };

/** Schema of the limits of one run. Every limit is optional. */
export const limitsSchema: z.ZodObject<Shape, z.core.$strict> = z.strictObject(
  // The cast is safe: the entries have the names of the table, and so has the shape.
  Object.fromEntries(LIMIT_NAMES.map((name) => [name, limitSchema(name)])) as Shape,
);
