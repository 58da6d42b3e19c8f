// The types of @glovebox/core/ai-sdk, written by `npx -y pnpm run api`; not to be edited.
// Declarations that index.d.ts has as well are left out.
import {
  LanguageModel,
  Tool,
  ToolSet,
  generateText,
} from "ai";
import {
  ChildProcess,
  SpawnOptions,
} from "node:child_process";
import {
  z,
} from "zod";
export declare class AgentToolError extends Error {
  readonly name: string;
  readonly code: string | number;
  readonly cause: DispatchError | OutcomeError;
  constructor(message: string, cause: DispatchError | OutcomeError);
  toString(): string;
}
interface AgentToolsOptions {
  readonly tools?: readonly string[] | undefined;
}
type AiSdkCodeTool = Tool<CodeToolInput, CodeToolResult>;
type CallSettings = Pick<Parameters<typeof generateText>[0], 'temperature' | 'maxOutputTokens' | 'maxRetries' | 'providerOptions' | 'headers' | 'seed'>;
interface ModelPlannerOptions {
  readonly registry: ToolRegistry;
  readonly instructions?: string | undefined;
  readonly allowCode?: boolean | undefined;
  readonly maxAttempts?: number | undefined;
  readonly maxResultLength?: number | undefined;
  readonly settings?: CallSettings | undefined;
}
export declare function fromAiSdkTools(tools: ToolSet): Promise<TrustedTool[]>;
export declare function modelPlanner(model: LanguageModel, options: ModelPlannerOptions): Planner;
export declare function toAiSdkCodeTool(codeTool: CodeTool): AiSdkCodeTool;
export declare function toAiSdkTools(dispatcher: Dispatcher, options?: AgentToolsOptions): ToolSet;
export type {
  AgentToolsOptions,
  AiSdkCodeTool,
  ModelPlannerOptions,
};
