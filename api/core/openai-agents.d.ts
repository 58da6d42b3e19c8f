// The types of @glovebox/core/openai-agents, written by `npx -y pnpm run api`; not to be edited.
// Declarations that index.d.ts has as well are left out.
import {
  FunctionTool,
  RunContext,
  tool,
} from "@openai/agents";
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
type CallDetails = NonNullable<Parameters<FunctionTool['invoke']>[2]>;
type OpenAiAgentsTool = FunctionTool<unknown, ToolParameters>;
type ToolOptions = Extract<Parameters<typeof tool>[0], {
  strict: false;
}>;
type ToolParameters = NonNullable<ToolOptions['parameters']>;
export declare function fromOpenAiAgentsTool(tool: Pick<FunctionTool, 'name' | 'description' | 'parameters'> & {
  needsApproval(context: RunContext, input: never): Promise<boolean>;
  invoke(context: RunContext, input: string, details?: CallDetails): Promise<unknown>;
}): TrustedTool;
export declare function toOpenAiAgentsCodeTool(codeTool: CodeTool): OpenAiAgentsTool;
export declare function toOpenAiAgentsTools(dispatcher: Dispatcher, options?: AgentToolsOptions): OpenAiAgentsTool[];
export type {
  AgentToolsOptions,
  OpenAiAgentsTool,
};
