import { z } from 'zod';

import { recordSchema } from '../../shared/record-schema.ts';

const tokens = z.int().min(0);

const usage = z.strictObject({ inputTokens: tokens, outputTokens: tokens });

const message = z.strictObject({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string(),
});

const asked = {
  modelInput: z.array(message).optional(),
  modelOutput: z.string(),
  isCut: z.boolean().optional(),
  usage,
  startedAt: z.number(),
  durationMs: z.number(),
};

/** Schema of what a memory holds; it may come from a file. */
export const memoryStepsSchema = z.array(
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('task'), task: z.string(), variables: z.array(z.string()) }),
    z.strictObject({
      type: z.literal('planning'),
      plan: z.string(),
      isUpdate: z.boolean(),
      ...asked,
    }),
    z.strictObject({
      type: z.literal('action'),
      stepNumber: z.int().min(1),
      code: z.string().optional(),
      observation: z.string(),
      error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
      isFinal: z.boolean(),
      ...asked,
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

/** A message for a model, or of one. */
export interface AgentMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** What all steps have in which a model was asked. */
export interface ModelStep {
  /** What the model was told; absent in succinct views. */
  modelInput?: AgentMessage[] | undefined;
  modelOutput: string;
  /** Whether the model was cut off at its limit of tokens. */
  isCut?: boolean | undefined;
  usage: TokenUsage;
  /** In milliseconds since 1970. */
  startedAt: number;
  durationMs: number;
}

/** What a run was asked for. */
export interface TaskStep {
  type: 'task';
  task: string;
  /** Names of the variables that came with it. */
  variables: string[];
}

/** A plan, in words. A callback may edit it: the next model call sees what it says then. */
export interface PlanningStep extends ModelStep {
  type: 'planning';
  plan: string;
  /** Whether it was made from what was learned since an earlier one. */
  isUpdate: boolean;
}

/** A model's code, and what became of it. */
export interface ActionStep extends ModelStep {
  type: 'action';
  /** From 1 in each run. */
  stepNumber: number;
  /** The code that ran; absent where the model wrote none that could. */
  code?: string | undefined;
  /** What the model is told of it. */
  observation: string;
  /** Why it failed: a code of an outcome, `NO_CODE` or `CHECK_FAILED`. */
  error?: { code: string; message: string } | undefined;
  /** Whether it gave the final answer. */
  isFinal: boolean;
}

/** The end of a run that has an answer. */
export interface FinalStep {
  type: 'final';
  /** `max_steps`: the steps were used up, and the answer is what the model then said in words. */
  reason: 'answered' | 'max_steps';
  answer: unknown;
}

/** One entry of a memory: plain data. */
export type MemoryStep = TaskStep | PlanningStep | ActionStep | FinalStep;
