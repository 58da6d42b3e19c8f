import type { MastraModelConfig } from '@mastra/core/llm';

import { scriptedModel as aiSdkModel } from './ai-sdk.ts';

/** A model of Mastra that calls one tool, and then says what the tool said. */
export function scriptedModel(toolName: string, input: object): MastraModelConfig {
  // Mastra has a copy of the AI SDK's types that is of another version.
  return aiSdkModel(toolName, input) as unknown as MastraModelConfig;
}
