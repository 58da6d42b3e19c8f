import type {
  ExecuteResult,
  Executor as CodemodeExecutor,
  ResolvedProvider,
} from '@cloudflare/codemode/browser';
import type { LimitsInput } from '@glovebox/protocol/limits';
import { z } from 'zod';

import type { Executor } from '../../executor/executor.ts';
import type { LogEntry } from '../../executor/outcome.ts';
import { readThrown } from '../../shared/thrown.ts';
import { errorText } from '../common/error-text.ts';
import { CALL, readNamespaces, writeBody } from './namespaces.ts';
import type { Namespace } from './namespaces.ts';

export interface CodemodeExecutorOptions {
  /** Runs the code. */
  readonly executor: Executor;
  /** Limits of each run; the limits of the executor by default. */
  readonly limits?: LimitsInput | undefined;
}

/** A call as the proxies in the guest send it. Guest code could also send anything else. */
const callSchema = z.object({
  namespace: z.string(),
  tool: z.string(),
  args: z.array(z.unknown()),
});

/**
 * An executor for `createCodeTool` of Cloudflare's codemode. On Node, it replaces
 * `DynamicWorkerExecutor`. Results keep their types; errors are text with name and code; it never
 * throws.
 */
export function createCodemodeExecutor({
  executor,
  limits,
}: CodemodeExecutorOptions): CodemodeExecutor {
  return {
    async execute(code, providersOrFns, { connectors = [] } = {}): Promise<ExecuteResult> {
      const providers: readonly ResolvedProvider[] = Array.isArray(providersOrFns)
        ? providersOrFns
        : [{ name: 'codemode', fns: providersOrFns }];
      const namespaces = readNamespaces(providers, connectors);
      if (typeof namespaces === 'string') return { result: undefined, error: namespaces };
      try {
        const outcome = await executor.run({
          code: writeBody(code, namespaces),
          tools: { [CALL]: (call: unknown) => callFunction(call, namespaces) },
          limits,
        });
        const logs = outcome.logs.map(writeLog);
        if (outcome.ok) return { result: outcome.value, logs };
        const { name, message, guestCode } = outcome.error;
        return { result: undefined, error: errorText({ name, message, code: guestCode }), logs };
      } catch (thrown) {
        return { result: undefined, error: errorText(readThrown(thrown)) };
      }
    },
  };
}

function callFunction(call: unknown, namespaces: readonly Namespace[]): Promise<unknown> {
  const { namespace, tool, args } = callSchema.parse(call);
  const execute = namespaces.find(({ name }) => name === namespace)?.find(tool);
  if (execute === undefined) throw new Error(`Tool "${tool}" not found`);
  return execute(...args);
}

/** Prefixes by which codemode marks the log level. */
const PREFIXES = { error: '[error] ', warn: '[warn] ', info: '', debug: '' } as const;

function writeLog({ level, text }: LogEntry): string {
  return PREFIXES[level] + text;
}
