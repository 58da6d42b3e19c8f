import { DynamicStructuredTool } from '@langchain/core/tools';
import type { DynamicStructuredToolInput, ToolRunnableConfig } from '@langchain/core/tools';
import { toJsonSchema } from '@langchain/core/utils/json_schema';

import type { CodeTool, CodeToolInput } from '../../code-mode/code-tool.ts';
import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import type { ToolContext } from '../../executor/run-tools.ts';
import type { JsonSchema, TrustedTool } from '../../tools/definition.ts';
import { runAgentCode } from '../common/agent-code.ts';
import { toRegistryName } from '../common/agent-names.ts';
import { listAgentTools } from '../common/agent-tools.ts';
import type { AgentToolsOptions } from '../common/agent-tools.ts';
import { toModelText } from '../common/model-value.ts';
import { isStandardSchemaWithJson } from '../common/own-schema.ts';

export interface LangChainToolsOptions extends AgentToolsOptions {
  /**
   * What asks for approval of tools that always need it: the dispatcher's `approve` (default), or
   * the agent's `humanInTheLoopMiddleware`, which then must get the result of `toInterruptOn`.
   */
  readonly approval?: 'dispatcher' | 'middleware' | undefined;
}

/**
 * The tools of a dispatcher's registry for `tools` of `createAgent`. The content of a tool message
 * is the value as text; its artifact is the exact value.
 *
 * @throws {GloveboxError} `UNKNOWN_TOOL`, `INVALID_NAME`.
 */
export function toLangChainTools(
  dispatcher: Dispatcher,
  options: LangChainToolsOptions = {},
): DynamicStructuredTool[] {
  return listAgentTools(dispatcher, options).map((tool) => {
    const isApproved = options.approval === 'middleware' && tool.approval === 'always';
    return createTool(tool, async (args, { signal, toolCall }) => {
      const value = await tool.call(args, { signal, callId: toolCall?.id, isApproved });
      return [toModelText(value), value];
    });
  });
}

/**
 * The tools that always need approval, for `humanInTheLoopMiddleware({ interruptOn })`.
 *
 * @throws {GloveboxError} `UNKNOWN_TOOL`, `INVALID_NAME`.
 */
export function toInterruptOn(
  dispatcher: Dispatcher,
  options?: AgentToolsOptions,
): Record<string, true> {
  return Object.fromEntries(
    listAgentTools(dispatcher, options)
      .filter(({ approval }) => approval === 'always')
      .map(({ name }) => [name, true]),
  );
}

/**
 * A code tool for `tools` of `createAgent`. The content of a tool message is the text of the
 * result; its artifact is the outcome.
 */
export function toLangChainCodeTool(codeTool: CodeTool): DynamicStructuredTool {
  return createTool(codeTool, async (input, { signal }) => {
    // The code tool validates its input.
    const { text, outcome } = await runAgentCode(codeTool, input as CodeToolInput, signal);
    return [text, outcome];
  });
}

/** The needed part of a LangChain tool: LangChain's own types do not match in all projects. */
export interface LangChainTool {
  readonly name: string;
  readonly description: string;
  readonly schema: object;
  // `never` accepts tools with any type of arguments; the schema validates the arguments.
  invoke(args: never, config: { readonly signal: AbortSignal }): Promise<unknown>;
}

/**
 * Converts a tool of LangChain for a registry: `registry.register(fromLangChainTool(tool))`. The
 * name becomes lower-case words with underscores.
 */
export function fromLangChainTool(tool: LangChainTool): TrustedTool {
  const { name, description, schema } = tool;
  return {
    name: toRegistryName(name),
    description,
    inputSchema: isStandardSchemaWithJson(schema) ? schema : toOwnSchema(schema),
    execute: (args: never, { signal }: ToolContext) => tool.invoke(args, { signal }),
  };
}

function toOwnSchema(schema: object): JsonSchema {
  // A zod 3 schema or a JSON Schema. LangChain's type of a JSON Schema lists each keyword.
  return { ...toJsonSchema(schema as Parameters<typeof toJsonSchema>[0]) };
}

function createTool(
  about: { readonly name: string; readonly description: string; readonly inputSchema: JsonSchema },
  call: (
    args: unknown,
    config: ToolRunnableConfig,
  ) => Promise<[content: string, artifact: unknown]>,
): DynamicStructuredTool {
  const { name, description, inputSchema } = about;
  return new DynamicStructuredTool({
    name,
    description,
    // A copy, because LangChain changes it. LangChain's type lists each keyword.
    schema: structuredClone(inputSchema) as DynamicStructuredToolInput['schema'],
    verboseParsingErrors: true,
    responseFormat: 'content_and_artifact',
    func: (args: unknown, _manager, config: ToolRunnableConfig = {}) => call(args, config),
  });
}
