// The types of @glovebox/core/mastra, written by `npx -y pnpm run api`; not to be edited.
// Declarations that index.d.ts has as well are left out.
import {
  CodeModeTransport,
  Tool,
} from "@mastra/core/tools";
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
interface CodeModeTransportOptions {
  readonly executor: Executor;
  readonly limits?: LimitsInput | undefined;
}
type MastraTool<Output = unknown> = Tool<unknown, Output>;
export declare function createCodeModeTransport({ executor, limits }: CodeModeTransportOptions): CodeModeTransport;
export declare function fromMastraTool<Input, Output>(tool: Tool<Input, Output>): TrustedTool;
export declare function toMastraCodeTool(codeTool: CodeTool): MastraTool<CodeToolResult>;
export declare function toMastraTools(dispatcher: Dispatcher, options?: AgentToolsOptions): Record<string, MastraTool>;
export type {
  AgentToolsOptions,
  CodeModeTransportOptions,
  MastraTool,
};
