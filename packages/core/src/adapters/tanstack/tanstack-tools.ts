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

/** A tool for `chat({ tools })` and for the code mode of TanStack AI. */
export type TanStackTool = ServerTool<SchemaInput, SchemaInput>;

/**
 * The tools of a dispatcher's registry for `chat({ tools })` and for code mode. If a tool always
 * needs approval, `chat` asks for it. In code mode, which does not ask, and for tools whose need of
 * approval a function decides, the dispatcher's `approve` is called.
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
      // The type expects a constant that is known at compile time.
      needsApproval: needsApproval as false,
      execute: async (args, context) => {
        // Only calls by `chat` have an id. Only `chat` asks for approval and converts to JSON.
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

/** A code tool for `chat({ tools })`: the model reads the text of its result. */
export function toTanStackCodeTool(tool: CodeTool): TanStackTool {
  return {
    __toolSide: 'server',
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    execute: async (input, context) => {
      // The code tool validates its input.
      const result = await runAgentCode(tool, input as CodeToolInput, context?.abortSignal);
      return result.text;
    },
  };
}

/** The needed part of a server tool: TanStack's own types do not match in all projects. */
export interface TanStackServerTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly needsApproval?: boolean | undefined;
  // `never` accepts tools with any type of arguments; the schema validates the arguments.
  readonly execute?: ((args: never, context: ToolExecutionContext) => unknown) | undefined;
}

/**
 * Converts a server tool of TanStack AI for a registry:
 * `registry.register(fromTanStackTool(tool))`. The name becomes lower-case words with underscores.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS` if the tool has no `execute`.
 */
export function fromTanStackTool(tool: TanStackServerTool): TrustedTool {
  const { name, description, inputSchema, outputSchema, needsApproval, execute } = tool;
  if (execute === undefined) {
    throw new GloveboxError('INVALID_OPTIONS', `The tool ${name} has no execute function.`);
  }
  return {
    name: toRegistryName(name),
    description,
    // The registry refuses unsupported schemas with the reason.
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
