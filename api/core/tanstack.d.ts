// The types of @glovebox/core/tanstack, written by `npx -y pnpm run api`; not to be edited.
// Declarations that index.d.ts has as well are left out.
import {
  SchemaInput,
  ServerTool,
  ToolExecutionContext,
} from "@tanstack/ai";
import {
  IsolateDriver,
} from "@tanstack/ai-code-mode";
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
interface IsolateDriverOptions {
  readonly executor: Executor;
  readonly limits?: LimitsInput | undefined;
}
interface TanStackServerTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly needsApproval?: boolean | undefined;
  readonly execute?: ((args: never, context: ToolExecutionContext) => unknown) | undefined;
}
type TanStackTool = ServerTool<SchemaInput, SchemaInput>;
export declare function createIsolateDriver({ executor, limits }: IsolateDriverOptions): IsolateDriver;
export declare function fromTanStackTool(tool: TanStackServerTool): TrustedTool;
export declare function toTanStackCodeTool(tool: CodeTool): TanStackTool;
export declare function toTanStackTools(dispatcher: Dispatcher, options?: AgentToolsOptions): TanStackTool[];
export type {
  AgentToolsOptions,
  IsolateDriverOptions,
  TanStackServerTool,
  TanStackTool,
};
