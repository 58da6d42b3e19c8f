import { asSchema } from 'ai';
import type { FlexibleSchema, ToolExecutionOptions, ToolSet } from 'ai';

import type { ToolContext } from '../../executor/run-tools.ts';
import { GloveboxError } from '../../shared/errors.ts';
import type { ApprovalContext, ToolSchema, TrustedTool } from '../../tools/definition.ts';
import { toRegistryName } from '../common/agent-names.ts';
import { isStandardSchemaWithJson } from '../common/own-schema.ts';

/**
 * Converts tools of the AI SDK for a registry: `for (const tool of await fromAiSdkTools(tools))
 * registry.register(tool)`. Names become lower-case words with underscores.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS` if a tool has no `execute`.
 */
export function fromAiSdkTools(tools: ToolSet): Promise<TrustedTool[]> {
  return Promise.all(Object.entries(tools).map(([name, tool]) => convert(name, tool)));
}

async function convert(name: string, tool: ToolSet[string]): Promise<TrustedTool> {
  const { description, inputSchema, needsApproval, execute } = tool;
  if (execute === undefined) {
    throw new GloveboxError('INVALID_OPTIONS', `The tool ${name} has no execute function.`);
  }
  return {
    name: toRegistryName(name),
    description:
      typeof description === 'function' ? description({ context: undefined }) : description,
    inputSchema: await toToolSchema(inputSchema),
    needsApproval:
      typeof needsApproval === 'function'
        ? async (args: unknown, context: ApprovalContext) =>
            needsApproval(args, optionsOf(context, context.tool))
        : needsApproval,
    execute: async (args: unknown, context: ToolContext) =>
      lastOf(execute(args, optionsOf(context, `${context.tool}-${context.callId}`))),
  };
}

function optionsOf(
  { signal }: { readonly signal: AbortSignal },
  toolCallId: string,
): ToolExecutionOptions<unknown> {
  return { toolCallId, messages: [], abortSignal: signal, context: undefined };
}

/** Tools may stream preliminary results; the last one is the result. */
async function lastOf(results: unknown): Promise<unknown> {
  const isStream =
    typeof results === 'object' && results !== null && Symbol.asyncIterator in results;
  if (!isStream) return results;
  let last: unknown;
  for await (const result of results as AsyncIterable<unknown>) last = result;
  return last;
}

async function toToolSchema(schema: FlexibleSchema<unknown>): Promise<ToolSchema> {
  if (isStandardSchemaWithJson(schema)) return schema;
  const { jsonSchema, validate } = asSchema(schema);
  // The AI SDK's type of a JSON Schema has no index signature.
  const json = { ...(await jsonSchema) } as Record<string, unknown>;
  if (validate === undefined) return json;
  return {
    '~standard': {
      version: 1,
      vendor: 'ai-sdk',
      validate: async (value) => {
        const result = await validate(value);
        return result.success
          ? { value: result.value }
          : { issues: [{ message: result.error.message }] };
      },
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}
