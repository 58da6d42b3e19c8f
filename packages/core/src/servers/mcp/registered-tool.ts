import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/server';

import type { JsonSchema } from '../../tools/definition.ts';
import type { RegisteredTool } from '../../tools/tool-registry.ts';
import type { CallContext, Service } from '../service/service.ts';
import { fromTaggedJson, toTaggedSchema } from './json-values.ts';
import { dispatchResult } from './mcp-results.ts';

interface ToolListing {
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations: ToolAnnotations;
}

const described = new WeakMap<RegisteredTool, ToolListing>();

/** A tool as MCP clients see it in the list of tools. */
export function describeForMcp(tool: RegisteredTool): ToolListing {
  let known = described.get(tool);
  if (known === undefined) described.set(tool, (known = describe(tool)));
  return known;
}

function describe({ description, definition, ...tool }: RegisteredTool): ToolListing {
  const { inputJsonSchema, outputJsonSchema } = tool;
  // Source code that uses no tools can only compute.
  const isPure = 'source' in definition && (definition.uses ?? []).length === 0;
  return {
    description: description ?? tool.name,
    inputSchema: takesObject(inputJsonSchema)
      ? toTaggedSchema(inputJsonSchema ?? { type: 'object' })
      : {
          type: 'object',
          properties: { args: toTaggedSchema(inputJsonSchema ?? {}) },
          required: ['args'],
        },
    ...(outputJsonSchema === undefined ? {} : { outputSchema: toTaggedSchema(outputJsonSchema) }),
    annotations: isPure
      ? { readOnlyHint: true, openWorldHint: false }
      : { readOnlyHint: false, idempotentHint: definition.idempotent === true },
  };
}

/** MCP arguments are an object. A tool with another input gets it in the property `args`. */
function takesObject(schema: JsonSchema | undefined): boolean {
  return schema === undefined || schema['type'] === 'object';
}

export async function callTool(
  service: Service,
  tool: RegisteredTool,
  given: unknown,
  context: CallContext,
): Promise<CallToolResult> {
  const read = fromTaggedJson(given ?? {});
  const args = takesObject(tool.inputJsonSchema) ? read : (read as { args?: unknown }).args;
  const result = await service.dispatch({ tool: tool.name, args }, context);
  return dispatchResult(result, tool.outputJsonSchema !== undefined);
}
