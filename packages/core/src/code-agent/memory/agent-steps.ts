import { z } from 'zod';

import { recordSchema } from '../../shared/record-schema.ts';

const tokens = z.int().min(0);

const usage = z.strictObject({ inputTokens: tokens, outputTokens: tokens });

const message = z.strictObject({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string(),
});

const modelCall = {
  modelInput: z.array(message).optional(),
  modelOutput: z.string(),
  isCut: z.boolean().optional(),
  usage,
  startedAt: z.number(),
  durationMs: z.number(),
};

/** Schema of the steps of a memory, which may come from a file. */
export const memoryStepsSchema = z.array(
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('task'), task: z.string(), variables: z.array(z.string()) }),
    z.strictObject({
      type: z.literal('planning'),
      plan: z.string(),
      isUpdate: z.boolean(),
      ...modelCall,
    }),
    z.strictObject({
      type: z.literal('action'),
      stepNumber: z.int().min(1),
      code: z.string().optional(),
      observation: z.string(),
      error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
      isFinal: z.boolean(),
      ...modelCall,
    }),
    z.strictObject({
      type: z.literal('final'),
      reason: z.enum(['answered', 'max_steps']),
      answer: z.unknown(),
    }),
  ]),
) satisfies z.ZodType<MemoryStep[]>;

/** Schema of variables by name. */
export const variablesSchema = recordSchema<Readonly<Record<string, unknown>>>();

export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
}

/** A message to or from a model. */
export interface AgentMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** The properties of all steps with a model call. */
export interface ModelStep {
  /** The messages to the model; absent in succinct views. */
  modelInput?: AgentMessage[] | undefined;
  modelOutput: string;
  /** Whether the output was cut off at the token limit. */
  isCut?: boolean | undefined;
  usage: TokenUsage;
  /** Time in milliseconds since 1970. */
  startedAt: number;
  durationMs: number;
}

/** The task of a run. */
export interface TaskStep {
  type: 'task';
  task: string;
  /** Names of the variables of the task. */
  variables: string[];
}

/** A plan as text. If a callback edits it, the next model call gets the edited plan. */
export interface PlanningStep extends ModelStep {
  type: 'planning';
  plan: string;
  /** Whether it is a new plan that uses the results of earlier steps. */
  isUpdate: boolean;
}

/** The code of a model and its result. */
export interface ActionStep extends ModelStep {
  type: 'action';
  /** Number of the step, from 1 in each run. */
  stepNumber: number;
  /** The code that ran; absent if the model wrote no code that can run. */
  code?: string | undefined;
  /** The text about the result that the model gets. */
  observation: string;
  /** Why the step failed: an outcome code, `NO_CODE` or `CHECK_FAILED`. */
  error?: { code: string; message: string } | undefined;
  /** Whether the step gave the final answer. */
  isFinal: boolean;
}

/** The answer at the end of a run. */
export interface FinalStep {
  type: 'final';
  /** `max_steps`: the steps were used up, and the answer is a text of the model. */
  reason: 'answered' | 'max_steps';
  answer: unknown;
}

/** A step in a memory: plain data. */
export type MemoryStep = TaskStep | PlanningStep | ActionStep | FinalStep;
