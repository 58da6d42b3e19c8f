import type { MastraModelConfig } from '@mastra/core/llm';

import { scriptedModel as aiSdkModel } from './ai-sdk.ts';

/** A scripted model of Mastra: it calls one tool, then repeats the tool's result as text. */
export function scriptedModel(toolName: string, input: object): MastraModelConfig {
  // Mastra has its own copy of the AI SDK's types, of another version.
  return aiSdkModel(toolName, input) as unknown as MastraModelConfig;
}
