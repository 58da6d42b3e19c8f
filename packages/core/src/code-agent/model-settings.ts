import { z } from 'zod';

/** Schema of how a model is called; plain data, so that it can be saved. */
export const modelSettingsSchema = z.strictObject({
  temperature: z.exactOptional(z.number()),
  topP: z.exactOptional(z.number()),
  seed: z.exactOptional(z.int()),
  maxOutputTokens: z.exactOptional(z.int().min(1)),
  maxRetries: z.exactOptional(z.int().min(0)),
});

/** How a model is called, as the AI SDK has it. */
export type ModelSettings = z.infer<typeof modelSettingsSchema>;
