import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';

import { checkOptions } from '../../shared/check-options.ts';
import type { JsonSchema } from '../../tools/definition.ts';
import { MAX_REPLANS, MAX_STEPS } from '../service/run-plan.ts';
import type { CallContext, Service } from '../service/service.ts';
import { fromTaggedJson } from './json-values.ts';
import { textResult } from './mcp-results.ts';

const STEPS =
  'Each step has an `id` (a whole number) and either `toolName` and `args`, or `code` (the body of ' +
  'an async function, with `args` as variables), or `gather` (steps to run in parallel). ' +
  '`{ "$result": id }` within args refers to the result of an earlier step.';

export function runSchema(hasPlanner: boolean): JsonSchema {
  return {
    type: 'object',
    properties: {
      goal: { type: 'string', description: 'The goal of the plan.' },
      plan: { type: 'array', items: { type: 'object' }, description: `The steps. ${STEPS}` },
      maxSteps: { type: 'integer', minimum: 0, maximum: MAX_STEPS },
      maxReplans: { type: 'integer', minimum: 0, maximum: MAX_REPLANS },
      review: { type: 'boolean', description: 'Ask the user to approve each plan.' },
    },
    required: hasPlanner ? ['goal'] : ['goal', 'plan'],
    additionalProperties: false,
  };
}

export function describeRun(hasPlanner: boolean): string {
  const planner = hasPlanner
    ? ' Without `plan`, the server makes the plan, and a new one after each failure.'
    : '';
  return `Execute a plan of tool calls and code.${planner}`;
}

/** Schema of the structured content of a result of `run`. */
export const SESSION_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    session_id: { type: 'string' },
    status: { type: 'string', description: 'completed, failed or interrupted' },
    reason: { type: 'string' },
    message: { type: ['string', 'null'] },
    history: { type: 'array', items: { type: 'object' } },
    revisions: { type: 'array', items: { type: 'object' } },
    events: { type: 'array', items: { type: 'object' } },
  },
  required: ['session_id', 'status', 'reason', 'history', 'revisions', 'events'],
};

const argumentsSchema = z.strictObject({
  goal: z.string(),
  plan: z.array(z.unknown()).optional(),
  maxSteps: z.int().min(0).max(MAX_STEPS).optional(),
  maxReplans: z.int().min(0).max(MAX_REPLANS).optional(),
  review: z.boolean().default(false),
});

export async function run(
  service: Service,
  args: unknown,
  context: CallContext,
): Promise<CallToolResult> {
  const { plan, ...request } = checkOptions(argumentsSchema, args, 'run');
  // Tagged JSON of an array decodes to an array.
  const steps = plan === undefined ? undefined : (fromTaggedJson(plan) as unknown[]);
  const session = (await service.run({ ...request, plan: steps }, context)).toJSON();
  const lines = session.history.map(
    ({ id, tool, result, error }) => `${id} ${tool}: ${error ?? JSON.stringify(result)}`,
  );
  const { status, reason, message } = session;
  const end = `${status}: ${reason}${message === null ? '' : ` (${message})`}`;
  return {
    ...textResult([...lines, end].join('\n'), status !== 'completed'),
    structuredContent: { ...session },
  };
}
