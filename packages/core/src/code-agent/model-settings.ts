import { z } from 'zod';

/** Schema of the settings of model calls: plain data, so that they can be saved. */
export const modelSettingsSchema = z.strictObject({
  temperature: z.exactOptional(z.number()),
  topP: z.exactOptional(z.number()),
  seed: z.exactOptional(z.int()),
  maxOutputTokens: z.exactOptional(z.int().min(1)),
  maxRetries: z.exactOptional(z.int().min(0)),
});

/** Settings of model calls, as in the AI SDK. */
export type ModelSettings = z.infer<typeof modelSettingsSchema>;
