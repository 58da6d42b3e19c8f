import { generateText, NoObjectGeneratedError, Output } from 'ai';
import type { LanguageModel, ModelMessage } from 'ai';
import { z } from 'zod';

import { singleStepsOf } from '../../plan-execute/plan-steps.ts';
import type { PlanStep } from '../../plan-execute/plan-steps.ts';
import { readPlan } from '../../plan-execute/planner.ts';
import type { GivenUp, Planner } from '../../plan-execute/planner.ts';
import { checkOptions, having } from '../../shared/check-options.ts';
import { messageOf } from '../../shared/message-of.ts';
import type { ToolRegistry } from '../../tools/tool-registry.ts';
import { modelPlanSchema, toPlan } from './model-plan.ts';
import type { ModelPlan } from './model-plan.ts';
import { systemPrompt, userPrompt } from './planner-prompt.ts';

/** How the model is called, as `generateText` has it. */
type CallSettings = Pick<
  Parameters<typeof generateText>[0],
  'temperature' | 'maxOutputTokens' | 'maxRetries' | 'providerOptions' | 'headers' | 'seed'
>;

/** Options of a planner on a model. */
export interface ModelPlannerOptions {
  /** The tools that the model may plan with: those of the agent's dispatcher. */
  readonly registry: ToolRegistry;
  /** Added to what the model is told about planning. */
  readonly instructions?: string | undefined;
  /** Whether steps may be code; `true` by default. The dispatcher needs an executor for it. */
  readonly allowCode?: boolean | undefined;
  /** How often the model is asked for one plan when it gives what is none; 3 by default. */
  readonly maxAttempts?: number | undefined;
  /** Characters of each result that the model is shown; 2000 by default. */
  readonly maxResultLength?: number | undefined;
  readonly settings?: CallSettings | undefined;
}

const optionsSchema = z.strictObject({
  registry: having<ToolRegistry>('list', 'a ToolRegistry'),
  instructions: z.string().optional(),
  allowCode: z.boolean().default(true),
  maxAttempts: z.int().min(1).default(3),
  maxResultLength: z.int().min(0).default(2000),
  settings: z.custom<CallSettings>((value) => typeof value === 'object').optional(),
});

/**
 * A planner that asks a language model, of any provider that the AI SDK has. What the model gives is
 * checked; when it is no plan, the model is told why and asked again.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS`. The planner throws when the model fails, or gives no
 * plan in `maxAttempts`; the session then ends with `planner_error` and can be resumed.
 */
export function modelPlanner(model: LanguageModel, options: ModelPlannerOptions): Planner {
  const checked = checkOptions(optionsSchema, options, 'modelPlanner');
  const { registry, instructions, allowCode, maxAttempts, maxResultLength, settings } = checked;
  return async (goal, history, lastError, context) => {
    const prompt = userPrompt(goal, history, lastError, context, maxResultLength);
    const messages: ModelMessage[] = [{ role: 'user', content: prompt }];
    for (let attempt = 1; ; attempt++) {
      const { text, plan } = await ask({
        ...settings,
        model,
        // Anew each time: tools may be registered meanwhile.
        system: systemPrompt(registry, allowCode, instructions),
        messages,
        abortSignal: context.signal,
      });
      const read = typeof plan === 'string' ? plan : readAnswer(plan, context.resultIds, checked);
      if (typeof read !== 'string') return read;
      if (attempt === maxAttempts) {
        throw new Error(`The model gave no plan in ${maxAttempts} attempts: ${read}`);
      }
      messages.push(
        { role: 'assistant', content: text },
        { role: 'user', content: `That is no plan that can be carried out: ${read}` },
      );
    }
  };
}

/** What the model said, and what it says of a plan; or why it says nothing of one. */
async function ask(
  options: Omit<Parameters<typeof generateText>[0], 'output' | 'prompt'> & {
    messages: ModelMessage[];
  },
): Promise<{ text: string; plan: ModelPlan | string }> {
  try {
    const { text, output } = await generateText({
      ...options,
      output: Output.object({ schema: modelPlanSchema }),
    });
    return { text, plan: output };
  } catch (error) {
    if (!NoObjectGeneratedError.isInstance(error)) throw error;
    return { text: error.text ?? '', plan: error.message };
  }
}

/** The plan; or what is wrong with it. */
function readAnswer(
  answer: ModelPlan,
  resultIds: readonly number[],
  { registry, allowCode }: Pick<ModelPlannerOptions, 'registry' | 'allowCode'>,
): readonly PlanStep[] | GivenUp | string {
  const { gaveUp, steps } = answer;
  if (gaveUp !== null && steps.length === 0) return { gaveUp };
  let given: PlanStep[];
  try {
    given = toPlan(answer);
  } catch (error) {
    return messageOf(error);
  }
  const read = readPlan(given, resultIds);
  if (!read.ok) return read.message;
  for (const step of read.plan.flatMap(singleStepsOf)) {
    if ('code' in step && allowCode === false) return `Step ${step.id} is code: it must be a tool.`;
    if ('toolName' in step && registry.find(step.toolName) === undefined) {
      return `Step ${step.id} calls ${JSON.stringify(step.toolName)}, which is no tool.`;
    }
  }
  return read.plan;
}
