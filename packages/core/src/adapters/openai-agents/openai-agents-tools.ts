import { RunContext, tool as defineTool } from '@openai/agents';
import type { FunctionTool } from '@openai/agents';

import type { CodeTool, CodeToolInput } from '../../code-mode/code-tool.ts';
import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import type { ToolContext } from '../../executor/run-tools.ts';
import type { JsonSchema, TrustedTool } from '../../tools/definition.ts';
import { runAgentCode } from '../common/agent-code.ts';
import { toRegistryName } from '../common/agent-names.ts';
import { AgentToolError } from '../common/agent-tool-error.ts';
import { listAgentTools } from '../common/agent-tools.ts';
import type { AgentToolsOptions } from '../common/agent-tools.ts';
import { toModelText } from '../common/model-value.ts';

type ToolOptions = Extract<Parameters<typeof defineTool>[0], { strict: false }>;
type ToolParameters = NonNullable<ToolOptions['parameters']>;

/** A tool for `tools` of an OpenAI Agents agent; its result is text for the model. */
export type OpenAiAgentsTool = FunctionTool<unknown, ToolParameters>;

/**
 * The tools of a dispatcher's registry for `tools` of an agent. If a call needs approval, the run
 * is interrupted. For a call without the approval of a run, the dispatcher's `approve` is called.
 *
 * @throws {GloveboxError} `UNKNOWN_TOOL`, `INVALID_NAME`.
 */
export function toOpenAiAgentsTools(
  dispatcher: Dispatcher,
  options?: AgentToolsOptions,
): OpenAiAgentsTool[] {
  return listAgentTools(dispatcher, options).map((tool) => {
    const { name, description, inputSchema } = tool;
    return defineTool({
      ...COMMON,
      name,
      description,
      parameters: toParameters(inputSchema),
      needsApproval:
        tool.approval === 'depends'
          ? (_context: unknown, args: unknown) => tool.needsApproval(args)
          : tool.approval === 'always',
      execute: async (args: unknown, context, { signal, toolCall } = {}) => {
        const callId = toolCall?.callId;
        const isApproved =
          callId !== undefined && context?.isToolApproved({ toolName: name, callId }) === true;
        return toModelText(await tool.call(args, { signal, callId, isApproved }));
      },
    });
  });
}

/** A code tool for `tools` of an agent: its result is text for the model. */
export function toOpenAiAgentsCodeTool(codeTool: CodeTool): OpenAiAgentsTool {
  const { name, description, inputSchema } = codeTool;
  return defineTool({
    ...COMMON,
    name,
    description,
    parameters: toParameters(inputSchema),
    execute: async (input: unknown, _context, details) => {
      // The code tool validates its input.
      const result = await runAgentCode(codeTool, input as CodeToolInput, details?.signal);
      return result.text;
    },
  });
}

/**
 * Converts a function tool of OpenAI Agents for a registry:
 * `registry.register(fromOpenAiAgentsTool(tool))`. The name becomes lower-case words with
 * underscores. The arguments are passed as JSON. The tool's `errorFunction` handles errors: by
 * default it turns them into a text result; if it is `null`, the call throws.
 */
export function fromOpenAiAgentsTool(
  // Not `FunctionTool` itself: its type parameters make it incompatible with most tools.
  tool: Pick<FunctionTool, 'name' | 'description' | 'parameters'> & {
    needsApproval(context: RunContext, input: never): Promise<boolean>;
    invoke(context: RunContext, input: string, details?: CallDetails): Promise<unknown>;
  },
): TrustedTool {
  const { name, description, parameters } = tool;
  return {
    name: toRegistryName(name),
    description,
    inputSchema: { ...parameters },
    // The arguments are already validated by the schema.
    needsApproval: (args: unknown) => tool.needsApproval(new RunContext(), args as never),
    execute: (args: unknown, { signal }: ToolContext) =>
      tool.invoke(new RunContext(), JSON.stringify(args), { signal }),
  };
}

type CallDetails = NonNullable<Parameters<FunctionTool['invoke']>[2]>;

const COMMON = {
  // Strict mode does not allow all schemas of a registry; the dispatcher validates arguments.
  strict: false,
  // Without this function the model does not get the error message.
  errorFunction: (_context: unknown, error: unknown): string =>
    error instanceof AgentToolError ? error.message : 'The tool failed.',
} as const;

function toParameters(schema: JsonSchema): ToolParameters {
  // OpenAI's type requires keywords that a model does not need.
  return schema as unknown as ToolParameters;
}
