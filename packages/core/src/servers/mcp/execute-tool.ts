import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';

import { describeCodeTool } from '../../code-mode/code-tool-description.ts';
import { checkOptions } from '../../shared/check-options.ts';
import { recordSchema } from '../../shared/record-schema.ts';
import type { JsonSchema } from '../../tools/definition.ts';
import type { RegisteredTool } from '../../tools/tool-registry.ts';
import type { CallContext, Service } from '../service/service.ts';
import { fromTaggedJson } from './json-values.ts';
import { MAX_CHARACTERS, outcomeResult } from './mcp-results.ts';

export const executeSchema: JsonSchema = {
  type: 'object',
  properties: {
    code: { type: 'string', description: 'The body of an async function.' },
    variables: {
      type: 'object',
      description: 'Values by name; the code sees them as constants. Tagged JSON is read.',
    },
  },
  required: ['code'],
  additionalProperties: false,
};

const argumentsSchema = z.strictObject({
  code: z.string(),
  variables: recordSchema<Record<string, unknown>>().optional(),
});

/** Texts by the tools that they tell of: the types of many tools take a while to write. */
const descriptions = new WeakMap<
  RegisteredTool,
  { tools: readonly RegisteredTool[]; text: string }
>();

export function describeExecute(tools: readonly RegisteredTool[]): string {
  const [first] = tools;
  const known = first === undefined ? undefined : descriptions.get(first);
  const isSame =
    known?.tools.length === tools.length && known.tools.every((tool, at) => tool === tools[at]);
  if (known !== undefined && isSame) return known.text;
  const text = describeCodeTool(tools, MAX_CHARACTERS);
  if (first !== undefined) descriptions.set(first, { tools, text });
  return text;
}

export async function execute(
  service: Service,
  args: unknown,
  context: CallContext,
): Promise<CallToolResult> {
  const { code, variables } = checkOptions(argumentsSchema, args, 'execute');
  const outcome = await service.execute(
    {
      code,
      // Tagged JSON of an object is an object, and the run checks what it is given.
      ...(variables === undefined
        ? {}
        : { variables: fromTaggedJson(variables) as Record<string, unknown> }),
    },
    context,
  );
  return outcomeResult(outcome, code);
}
