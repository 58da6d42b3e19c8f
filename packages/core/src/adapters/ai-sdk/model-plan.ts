import { z } from 'zod';

import type { PlanStep, SingleStep } from '../../plan-execute/plan-steps.ts';

// Every field is always there and may be null, and arguments are text: structured output of some
// providers knows neither optional fields nor objects of any shape.
const single = {
  id: z.int().describe('Number of the step; no two steps have the same.'),
  expectedOutcome: z.string().describe('What is there when the step is done.'),
  toolName: z.string().nullable().describe('Name of the tool to call; null for code and branches.'),
  args: z.string().nullable().describe('Arguments as JSON text; null for none.'),
  code: z.string().nullable().describe('Body of an async JavaScript function; null for a tool.'),
  uses: z.array(z.string()).nullable().describe('Names of the tools that the code may call.'),
};

const singleStep = z.object(single);

/** The shape in which a model gives a plan. */
export const modelPlanSchema = z.object({
  gaveUp: z.string().nullable().describe('Why the goal cannot be met; null where it can.'),
  steps: z.array(
    z.object({
      ...single,
      branches: z
        .array(singleStep)
        .nullable()
        .describe('Independent steps to carry out at once; null for a tool or code.'),
      policy: z
        .enum(['all', 'settled', 'race'])
        .nullable()
        .describe('What becomes of branches; null without branches.'),
    }),
  ),
});

export type ModelPlan = z.infer<typeof modelPlanSchema>;
type ModelSingleStep = z.infer<typeof singleStep>;

/** A model's steps as steps of a plan. Throws where arguments are no JSON; all else is read later. */
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
    throw new Error(`The arguments of step ${id} are no JSON text.`, { cause });
  }
}
