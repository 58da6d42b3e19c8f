import type { LimitsInput } from '@glovebox/protocol/limits';
import type {
  ExecutionResult,
  IsolateContext,
  IsolateDriver,
  NormalizedError,
  ToolBinding,
} from '@tanstack/ai-code-mode';

import type { Executor } from '../../executor/executor.ts';
import type { LogEntry, OutcomeError } from '../../executor/outcome.ts';
import type { ToolFunction } from '../../executor/run-tools.ts';
import { readThrown } from '../../shared/thrown.ts';

export interface IsolateDriverOptions {
  /** Runs the code. */
  readonly executor: Executor;
  /** Limits of each run; they override `timeout` and `memoryLimit` of `createCodeMode`. */
  readonly limits?: LimitsInput | undefined;
}

/**
 * A driver for the code mode of TanStack AI, in place of `createNodeIsolateDriver` and similar
 * drivers. Each `execute` runs in a fresh isolate; results keep their types; `dispose` aborts code
 * that still runs.
 */
export function createIsolateDriver({ executor, limits }: IsolateDriverOptions): IsolateDriver {
  return {
    createContext: async ({ bindings, timeout, memoryLimit }): Promise<IsolateContext> => {
      const disposal = new AbortController();
      const tools = Object.fromEntries(
        Object.entries(bindings).map(([name, binding]) => [name, toTool(binding)]),
      );
      const run = {
        tools,
        limits: { wallMs: timeout, memoryMb: memoryLimit, ...limits },
        signal: disposal.signal,
      };
      return {
        async execute<T>(code: string): Promise<ExecutionResult<T>> {
          try {
            const outcome = await executor.run<T>({ ...run, code });
            const logs = outcome.logs.map(writeLog);
            return outcome.ok
              ? { success: true, value: outcome.value, logs }
              : { success: false, error: normalize(outcome.error), logs };
          } catch (thrown) {
            // A driver must not throw, not even for wrong options.
            const { name, message, code: errorCode = '' } = readThrown(thrown);
            return { success: false, error: { name, message, code: String(errorCode) } };
          }
        },
        dispose: async () => disposal.abort(new Error('The context was disposed.')),
      };
    },
  };
}

function toTool(binding: ToolBinding): ToolFunction {
  // Code calls a tool without parameters with no argument.
  return (input: unknown, { signal }) =>
    binding.execute(input === undefined ? {} : input, {
      context: undefined,
      abortSignal: signal,
      emitCustomEvent: () => undefined,
    });
}

function normalize({ name, message, stack, code, guestCode }: OutcomeError): NormalizedError {
  const error = { name, message, code: String(guestCode ?? code) };
  return stack === undefined ? error : { ...error, stack };
}

/** Code mode reads the log level from the text. */
const PREFIXES = { error: 'ERROR: ', warn: 'WARN: ', info: '', debug: '' } as const;

function writeLog({ level, text }: LogEntry): string {
  return PREFIXES[level] + text;
}
