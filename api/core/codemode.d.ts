// The types of @glovebox/core/codemode, written by `npx -y pnpm run api`; not to be edited.
// Declarations that index.d.ts has as well are left out.
import {
  Executor as Executor$1,
  JsonSchemaExecutableToolDescriptors,
} from "@cloudflare/codemode/browser";
import {
  ChildProcess,
  SpawnOptions,
} from "node:child_process";
import {
  z,
} from "zod";
interface AgentToolsOptions {
  readonly tools?: readonly string[] | undefined;
}
interface CodemodeExecutorOptions {
  readonly executor: Executor;
  readonly limits?: LimitsInput | undefined;
}
export declare function createCodemodeExecutor({ executor, limits }: CodemodeExecutorOptions): Executor$1;
export declare function toCodemodeTools(dispatcher: Dispatcher, options?: AgentToolsOptions): JsonSchemaExecutableToolDescriptors;
export type {
  AgentToolsOptions,
  CodemodeExecutorOptions,
};
