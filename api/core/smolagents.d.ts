// The types of @glovebox/core/smolagents, written by `npx -y pnpm run api`; not to be edited.
// Declarations that index.d.ts has as well are left out.
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
interface CodeOutput {
  readonly output: unknown;
  readonly logs: string;
  readonly isFinalAnswer: boolean;
  readonly isStateLost: boolean;
}
export declare class RemoteExecutor implements AsyncDisposable {
  #private;
  constructor({ executor, limits, finalAnswer }: RemoteExecutorOptions);
  sendVariables(given: Readonly<Record<string, unknown>> | string): Promise<void>;
  sendTools(given: Tools): void;
  call(code: string, { signal }?: {
    readonly signal?: AbortSignal | undefined;
  }): Promise<CodeOutput>;
  cleanup(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
interface RemoteExecutorOptions {
  readonly executor: Executor;
  readonly limits?: LimitsInput | undefined;
  readonly finalAnswer?: string | undefined;
}
export type {
  CodeOutput,
  RemoteExecutorOptions,
};
