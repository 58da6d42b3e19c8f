import type { LimitsInput } from '@glovebox/protocol/limits';
import { sanitizeToolId } from '@mastra/core/tools';
import type { CodeModeToolResult, CodeModeTransport } from '@mastra/core/tools';

import type { Executor } from '../../executor/executor.ts';
import type { OutcomeError } from '../../executor/outcome.ts';
import type { ToolFunction } from '../../executor/run-tools.ts';
import { readThrown } from '../../shared/thrown.ts';
import { errorText } from '../common/error-text.ts';

export interface CodeModeTransportOptions {
  /** Runs the code. */
  readonly executor: Executor;
  /** Limits of each run; they override the `timeout` of `createCodeMode`. */
  readonly limits?: LimitsInput | undefined;
}

type CodeModeError = NonNullable<CodeModeToolResult['error']>;
type RunOptions = Parameters<CodeModeTransport['run']>[0];

/**
 * A transport for Mastra's code mode: `createCodeMode({ tools }, createCodeModeTransport(…))`. It
 * needs no workspace sandbox. Results keep their types; it never throws.
 */
export function createCodeModeTransport({
  executor,
  limits,
}: CodeModeTransportOptions): CodeModeTransport {
  return {
    requiresSandbox: false,
    async run(options): Promise<CodeModeToolResult> {
      const { program, toolIds, timeout, abortSignal } = options;
      try {
        const outcome = await executor.run({
          code: program,
          tools: Object.fromEntries(
            toolIds.map((id) => [`external_${sanitizeToolId(id)}`, toTool(id, options)]),
          ),
          limits: { wallMs: timeout, ...limits },
          signal: abortSignal,
        });
        const logs = outcome.logs.map(({ text }) => text);
        return outcome.ok
          ? { success: true, result: outcome.value, logs }
          : { success: false, error: toError(outcome.error), logs };
      } catch (thrown) {
        const { name, message } = readThrown(thrown);
        return { success: false, error: { name, message } };
      }
    },
  };
}

function toTool(
  id: string,
  { dispatch, onExternalCall, onExternalResult }: RunOptions,
): ToolFunction {
  // Code calls a tool without parameters with no argument.
  return async (given: unknown) => {
    const args = given === undefined ? {} : given;
    const startedAt = performance.now();
    onExternalCall?.(id, args);
    try {
      const value = await dispatch(id, args);
      onExternalResult?.(id, performance.now() - startedAt);
      return value;
    } catch (error) {
      onExternalResult?.(id, performance.now() - startedAt, error);
      throw error;
    }
  };
}

function toError({ name, message, guestCode, line }: OutcomeError): CodeModeError {
  // Mastra's error has no field for the code.
  const error = { name, message: errorText({ message, code: guestCode }) };
  return line === undefined ? error : { ...error, line };
}
