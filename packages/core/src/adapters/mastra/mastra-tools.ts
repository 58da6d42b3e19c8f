import { isValidationError, noopObserve, Tool } from '@mastra/core/tools';

import type { CodeTool, CodeToolInput, CodeToolResult } from '../../code-mode/code-tool.ts';
import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import type { ToolContext } from '../../executor/run-tools.ts';
import { GloveboxError } from '../../shared/errors.ts';
import type { TrustedTool } from '../../tools/definition.ts';
import { runAgentCode } from '../common/agent-code.ts';
import { toRegistryName } from '../common/agent-names.ts';
import { listAgentTools } from '../common/agent-tools.ts';
import type { AgentToolsOptions } from '../common/agent-tools.ts';
import { toModelText } from '../common/model-value.ts';

/** A tool for `tools` of a Mastra agent. */
export type MastraTool<Output = unknown> = Tool<unknown, Output>;

/**
 * The tools of a dispatcher's registry for `tools` of an agent, by name. If a call needs approval,
 * the agent's run is suspended. In code mode, which does not ask for approval, the dispatcher's
 * `approve` is called. The program gets the exact value, the model gets text.
 *
 * @throws {GloveboxError} `UNKNOWN_TOOL`, `INVALID_NAME`.
 */
export function toMastraTools(
  dispatcher: Dispatcher,
  options?: AgentToolsOptions,
): Record<string, MastraTool> {
  return Object.fromEntries(
    listAgentTools(dispatcher, options).map((tool) => [
      tool.name,
      new Tool({
        id: tool.name,
        description: tool.description,
        inputSchema: tool.inputSchema,
        requireApproval:
          tool.approval === 'depends'
            ? (args) => tool.needsApproval(args)
            : tool.approval === 'always',
        execute: (args, { abortSignal, agent }) =>
          tool.call(args, {
            signal: abortSignal,
            callId: agent?.toolCallId,
            // Only an agent asks for approval; a call without an agent comes from code.
            isApproved: agent !== undefined,
            caller: agent === undefined ? 'code' : 'model',
          }),
        toModelOutput: (output) => ({ type: 'text', value: toModelText(output) }),
      }),
    ]),
  );
}

/** A code tool for `tools` of an agent: the program gets the outcome, the model gets its text. */
export function toMastraCodeTool(codeTool: CodeTool): MastraTool<CodeToolResult> {
  return new Tool<unknown, CodeToolResult>({
    id: codeTool.name,
    description: codeTool.description,
    inputSchema: codeTool.inputSchema,
    // The code tool validates its input.
    execute: (input, { abortSignal }) =>
      runAgentCode(codeTool, input as CodeToolInput, abortSignal),
    toModelOutput: ({ text }) => ({ type: 'text', value: text }),
  });
}

/**
 * Converts a tool of Mastra for a registry: `registry.register(fromMastraTool(tool))`. The name is
 * the tool's id in lower-case words with underscores.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS` if the tool has no `execute`.
 */
export function fromMastraTool<Input, Output>(tool: Tool<Input, Output>): TrustedTool {
  const { id, description, inputSchema, requireApproval, execute } = tool;
  if (execute === undefined) {
    throw new GloveboxError('INVALID_OPTIONS', `The tool ${id} has no execute function.`);
  }
  return {
    name: toRegistryName(id),
    description,
    inputSchema,
    needsApproval:
      typeof requireApproval === 'function'
        ? // The arguments are already validated by the schema.
          async (args: unknown) => requireApproval(args as Input)
        : requireApproval,
    execute: async (args: Input, { signal }: ToolContext) => {
      const result = await execute(args, { abortSignal: signal, observe: noopObserve });
      if (isValidationError(result)) throw new TypeError(result.message);
      return result;
    },
  };
}
