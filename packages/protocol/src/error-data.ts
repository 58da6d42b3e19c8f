import { z } from 'zod';

/** An error of guest code as data. The guest controls every field: do not trust any of them. */
export interface GuestErrorData {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: string | number;
  readonly cause?: GuestErrorData;
}

/** Text of an error. The guest runtime truncates its texts to 16 384 characters. */
export const errorText: z.ZodString = z.string().max(20_000);

/** Schemas of the fields of {@link GuestErrorData}, for object schemas that extend it. */
export const errorFields = {
  name: errorText,
  message: errorText,
  stack: z.exactOptional(errorText),
  code: z.exactOptional(z.union([errorText, z.number()])),
  get cause() {
    return z.exactOptional(errorDataSchema);
  },
};

export const errorDataSchema: z.ZodType<GuestErrorData> = z.strictObject(errorFields);
