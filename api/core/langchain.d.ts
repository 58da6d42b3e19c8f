// The types of @glovebox/core/langchain, written by `npx -y pnpm run api`; not to be edited.
// Declarations that index.d.ts has as well are left out.
import {
  DynamicStructuredTool,
} from "@langchain/core/tools";
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
interface LangChainTool {
  readonly name: string;
  readonly description: string;
  readonly schema: object;
  invoke(args: never, config: {
    readonly signal: AbortSignal;
  }): Promise<unknown>;
}
interface LangChainToolsOptions extends AgentToolsOptions {
  readonly approval?: 'dispatcher' | 'middleware' | undefined;
}
export declare function fromLangChainTool(tool: LangChainTool): TrustedTool;
export declare function toInterruptOn(dispatcher: Dispatcher, options?: AgentToolsOptions): Record<string, true>;
export declare function toLangChainCodeTool(codeTool: CodeTool): DynamicStructuredTool;
export declare function toLangChainTools(dispatcher: Dispatcher, options?: LangChainToolsOptions): DynamicStructuredTool[];
export type {
  AgentToolsOptions,
  LangChainTool,
  LangChainToolsOptions,
};
