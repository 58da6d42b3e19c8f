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

/** Settings of model calls, as in `generateText`. */
type CallSettings = Pick<
  Parameters<typeof generateText>[0],
  'temperature' | 'maxOutputTokens' | 'maxRetries' | 'providerOptions' | 'headers' | 'seed'
>;

/** Options of a planner that uses a model. */
export interface ModelPlannerOptions {
  /** The tools that the model may use in plans: the registry of the agent's dispatcher. */
  readonly registry: ToolRegistry;
  /** Text that is appended to the system prompt. */
  readonly instructions?: string | undefined;
  /** Whether steps may be code; `true` by default. Code needs a dispatcher with an executor. */
  readonly allowCode?: boolean | undefined;
  /** Attempts to get a valid plan from the model for one request; 3 by default. */
  readonly maxAttempts?: number | undefined;
  /** Maximum number of characters of each result in the prompt; 2000 by default. */
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
 * A planner that asks a language model, of any provider that the AI SDK supports. The plan is
 * validated; if it is invalid, the model gets the reason and is asked again. The planner throws if
 * the model call fails or gives no valid plan in `maxAttempts` attempts; the session then ends with
 * `planner_error` and can be resumed.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS`.
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
        // Created for each attempt: tools may have been registered in the meantime.
        system: systemPrompt(registry, allowCode, instructions),
        messages,
        abortSignal: context.signal,
      });
      const read = typeof plan === 'string' ? plan : readAnswer(plan, context.resultIds, checked);
      if (typeof read !== 'string') return read;
      if (attempt === maxAttempts) {
        throw new Error(`The model gave no valid plan in ${maxAttempts} attempts: ${read}`);
      }
      messages.push(
        { role: 'assistant', content: text },
        { role: 'user', content: `That plan is not valid: ${read}` },
      );
    }
  };
}

/** Asks the model. Returns its text, and its plan or the reason why the text is not a plan. */
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

/** Validates the model's answer. Returns the plan, or what is wrong with it as text. */
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
    if ('code' in step && allowCode === false)
      return `Step ${step.id} is code, but only tool calls are allowed.`;
    if ('toolName' in step && registry.find(step.toolName) === undefined) {
      return `Step ${step.id} calls ${JSON.stringify(step.toolName)}, which is not a tool.`;
    }
  }
  return read.plan;
}
