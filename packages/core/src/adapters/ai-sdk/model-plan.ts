import { z } from 'zod';

import type { PlanStep, SingleStep } from '../../plan-execute/plan-steps.ts';

// All fields are required but nullable, and arguments are text: the structured output of some
// providers supports neither optional fields nor objects with arbitrary properties.
const single = {
  id: z.int().describe('Number of the step; each step has a different number.'),
  expectedOutcome: z.string().describe('The expected outcome of the step.'),
  toolName: z.string().nullable().describe('Name of the tool to call; null for code and branches.'),
  args: z.string().nullable().describe('Arguments as JSON text; null for none.'),
  code: z.string().nullable().describe('Body of an async JavaScript function; null for a tool.'),
  uses: z.array(z.string()).nullable().describe('Names of the tools that the code may call.'),
};

const singleStep = z.object(single);

/** Schema of a plan that a model returns. */
export const modelPlanSchema = z.object({
  gaveUp: z.string().nullable().describe('Why the goal cannot be met; null if it can.'),
  steps: z.array(
    z.object({
      ...single,
      branches: z
        .array(singleStep)
        .nullable()
        .describe('Independent steps to run in parallel; null for a tool or code.'),
      policy: z
        .enum(['all', 'settled', 'race'])
        .nullable()
        .describe('How results and failures of branches are combined; null without branches.'),
    }),
  ),
});

export type ModelPlan = z.infer<typeof modelPlanSchema>;
type ModelSingleStep = z.infer<typeof singleStep>;

/**
 * Converts the steps of a model into steps of a plan. Throws if arguments are not JSON; `readPlan`
 * validates everything else.
 */
export function toPlan({ steps }: ModelPlan): PlanStep[] {
  return steps.map(({ branches, policy, ...step }) => {
    if (branches === null || branches.length === 0) return toSingleStep(step);
    return {
      id: step.id,
      expectedOutcome: step.expectedOutcome,
      gather: branches.map(toSingleStep),
      ...(policy === null ? {} : { policy }),
    };
  });
}

function toSingleStep({ id, expectedOutcome, ...step }: ModelSingleStep): SingleStep {
  const common = { id, expectedOutcome, args: parseArguments(id, step.args) };
  if (step.code !== null) return { ...common, code: step.code, uses: step.uses ?? [] };
  return { ...common, toolName: step.toolName ?? '' };
}

function parseArguments(id: number, text: string | null): unknown {
  if (text === null || text === '') return {};
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`The arguments of step ${id} are not JSON text.`, { cause });
  }
}
