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
      description: 'Values by name, which the code sees as constants. They may be tagged JSON.',
    },
  },
  required: ['code'],
  additionalProperties: false,
};

const argumentsSchema = z.strictObject({
  code: z.string(),
  variables: recordSchema<Record<string, unknown>>().optional(),
});

/** Cache of descriptions by the first of their tools: generating types for many tools is slow. */
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
      // Tagged JSON of an object decodes to an object, and the run validates its variables.
      ...(variables === undefined
        ? {}
        : { variables: fromTaggedJson(variables) as Record<string, unknown> }),
    },
    context,
  );
  return outcomeResult(outcome, code);
}
