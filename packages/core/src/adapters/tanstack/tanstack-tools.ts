import type { SchemaInput, ServerTool, ToolExecutionContext } from '@tanstack/ai';

import type { CodeTool, CodeToolInput } from '../../code-mode/code-tool.ts';
import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import type { ToolContext } from '../../executor/run-tools.ts';
import { GloveboxError } from '../../shared/errors.ts';
import type { ToolSchema, TrustedTool } from '../../tools/definition.ts';
import { runAgentCode } from '../common/agent-code.ts';
import { toRegistryName } from '../common/agent-names.ts';
import { listAgentTools } from '../common/agent-tools.ts';
import type { AgentToolsOptions } from '../common/agent-tools.ts';
import { toJsonOrText } from '../common/model-value.ts';

/** A tool for `chat({ tools })`, and for code mode, of TanStack AI. */
export type TanStackTool = ServerTool<SchemaInput, SchemaInput>;

/**
 * The tools of a dispatcher's registry for `chat({ tools })`, and for code mode. Those that always
 * need approval get it from `chat`, the way of TanStack AI; in code mode, which asks nobody, and
 * where a function decides, the dispatcher's `approve` is asked.
 *
 * @throws {GloveboxError} `UNKNOWN_TOOL`, `INVALID_NAME`.
 */
export function toTanStackTools(
  dispatcher: Dispatcher,
  options?: AgentToolsOptions,
): TanStackTool[] {
  return listAgentTools(dispatcher, options).map((tool) => {
    const needsApproval = tool.approval === 'always';
    return {
      __toolSide: 'server',
      name: tool.name,
      description: tool.description,
      inputSchema: tool.inputSchema,
      // Its type is for tools whose need is known when they are compiled.
      needsApproval: needsApproval as false,
      execute: async (args, context) => {
        // Only calls that `chat` makes have an id. Only `chat` asks, and makes JSON of the value.
        const isChat = context?.toolCallId !== undefined;
        const value = await tool.call(args, {
          signal: context?.abortSignal,
          callId: context?.toolCallId,
          isApproved: needsApproval && isChat,
          caller: isChat ? 'model' : 'code',
        });
        return isChat ? toJsonOrText(value) : value;
      },
    };
  });
}

/** A code tool for `chat({ tools })`: the text of its result is what the model reads. */
export function toTanStackCodeTool(tool: CodeTool): TanStackTool {
  return {
    __toolSide: 'server',
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    execute: async (input, context) => {
      // The code tool checks what it is given.
      const result = await runAgentCode(tool, input as CodeToolInput, context?.abortSignal);
      return result.text;
    },
  };
}

/** What is needed of a server tool; TanStack's own types do not fit each other in every project. */
export interface TanStackServerTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly needsApproval?: boolean | undefined;
  // `never` lets a tool with any arguments be given; the schema checks what comes.
  readonly execute?: ((args: never, context: ToolExecutionContext) => unknown) | undefined;
}

/**
 * A server tool of TanStack AI for a registry: `registry.register(fromTanStackTool(tool))`. Its name
 * becomes lower-case words with underscores.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS`: it has no `execute`.
 */
export function fromTanStackTool(tool: TanStackServerTool): TrustedTool {
  const { name, description, inputSchema, outputSchema, needsApproval, execute } = tool;
  if (execute === undefined) {
    throw new GloveboxError('INVALID_OPTIONS', `The tool ${name} has no execute function.`);
  }
  return {
    name: toRegistryName(name),
    description,
    // What these types allow and a registry does not, it refuses with the reason.
    inputSchema: inputSchema as ToolSchema | undefined,
    outputSchema: outputSchema as ToolSchema | undefined,
    needsApproval,
    execute: (args: never, { signal }: ToolContext) =>
      execute(args, {
        context: undefined,
        abortSignal: signal,
        emitCustomEvent: () => undefined,
      }),
  };
}
