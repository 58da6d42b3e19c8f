import type { LimitsInput } from '@glovebox/protocol/limits';
import { limitsSchema } from '@glovebox/protocol/limits-schema';
import { z } from 'zod';

import { Dispatcher } from '../dispatch/dispatcher.ts';
import { createGuestTools } from '../dispatch/guest-tools.ts';
import type { Executor } from '../executor/executor.ts';
import type { LogEntry, Outcome } from '../executor/outcome.ts';
import type { ToolContext } from '../executor/run-tools.ts';
import type { Session } from '../executor/session.ts';
import { abortSignal, callback, checkOptions } from '../shared/check-options.ts';
import type { JsonSchema } from '../tools/definition.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import { describeCodeTool } from './code-tool-description.ts';
import { renderOutcome } from './render-outcome.ts';

/** Options of a tool that runs code. */
export interface CodeToolOptions {
  /** The tools that the code may call. */
  readonly registry: ToolRegistry;
  /** Runs the code. */
  readonly executor: Executor;
  /** Calls the tools. By default a new dispatcher, which cannot ask for approval. */
  readonly dispatcher?: Dispatcher | undefined;
  /** Runs the code instead of the executor, so that later code can use what earlier code declared. */
  readonly session?: Session | undefined;
  /** Names of the tools that the code may call; by default all that the registry has now. */
  readonly tools?: readonly string[] | undefined;
  /** Name of the tool for the model; `run_code` by default. */
  readonly name?: string | undefined;
  /** Limits of each run. */
  readonly limits?: LimitsInput | undefined;
  /** Longest text for the model; 20 000 characters by default. */
  readonly maxResultCharacters?: number | undefined;
}

export interface CodeToolInput {
  /** The body of an async function, in JavaScript or TypeScript. */
  readonly code: string;
}

export interface CodeToolResult {
  /** The outcome as text for a model. */
  readonly text: string;
  /** The outcome as data. */
  readonly outcome: Outcome;
}

/** A tool for a model that writes code instead of calling tools one by one. */
export interface CodeTool {
  readonly name: string;
  /** How to write the code, with the types of all tools. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /**
   * Runs code. It returns a result whatever the code does. It can itself be registered as a tool:
   * pass the context of that call as `options`, and the tool calls of the code pause the clock of
   * that call during approvals and use its budget.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS`, `EXECUTOR_CLOSED`.
   */
  readonly execute: (
    input: CodeToolInput,
    options?: CodeCallOptions | ToolContext,
  ) => Promise<CodeToolResult>;
}

export interface CodeCallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onLog?: ((entry: LogEntry) => void) | undefined;
}

const INPUT_SCHEMA: JsonSchema = Object.freeze({
  type: 'object',
  properties: {
    code: { type: 'string', description: 'The body of an async function.' },
  },
  required: ['code'],
  additionalProperties: false,
});

const optionsSchema = z.object({
  tools: z.array(z.string()).optional(),
  name: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" or "-"')
    .default('run_code'),
  limits: limitsSchema.optional(),
  maxResultCharacters: z.int().min(200).default(20_000),
});

const inputSchema = z.object({ code: z.string() });

const callSchema = z.object({
  signal: abortSignal.optional(),
  onLog: callback<(entry: LogEntry) => void>().optional(),
});

/**
 * Creates one tool from many: a model calls it with code, and the code calls the other tools.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS`; `UNKNOWN_TOOL` for a name that is not in the registry.
 */
export function createCodeTool(options: CodeToolOptions): CodeTool {
  const { registry, executor, session } = options;
  const checked = checkOptions(optionsSchema, options, 'createCodeTool');
  const { name, limits, maxResultCharacters } = checked;
  const names = checked.tools ?? registry.names;
  const dispatcher = options.dispatcher ?? new Dispatcher({ registry, executor });
  return {
    name,
    description: describeCodeTool(
      names.map((tool) => registry.get(tool)),
      maxResultCharacters,
    ),
    inputSchema: INPUT_SCHEMA,
    async execute(input, given = {}) {
      const { code } = checkOptions(inputSchema, input, name);
      const { signal, onLog } = checkOptions(callSchema, given, name);
      const parent = 'pauseWallClock' in given ? given : undefined;
      const tools = createGuestTools(dispatcher, names, parent);
      const run = { code, tools, limits, signal, onLog, filename: 'code.ts' };
      const outcome = await (session ?? executor).run(run);
      return { text: renderOutcome(outcome, code, maxResultCharacters), outcome };
    },
  };
}
