import { z } from 'zod';

import { callback } from '../shared/check-options.ts';
import type { AgentMemory } from './memory/agent-memory.ts';
import type {
  ActionStep,
  FinalStep,
  MemoryStep,
  PlanningStep,
  TaskStep,
} from './memory/agent-steps.ts';

/** What a callback gets in addition to its step. */
export interface StepContext {
  /** The memory of the agent, which contains this step. */
  readonly memory: AgentMemory;
  /** Aborted when the run is stopped. */
  readonly signal: AbortSignal;
  /** Stops the run: nothing runs after this callback has ended. */
  readonly interrupt: (reason?: unknown) => void;
}

/**
 * Called after a step was added to the memory. It may change the step. The run waits for it, and
 * ends if it throws.
 */
export type StepCallback<Step extends MemoryStep = MemoryStep> = (
  step: Step,
  context: StepContext,
) => unknown;

type OneOrMore<T> = T | readonly T[];

/** Callbacks by kind of step. `any` is called for every step, after the callbacks of its kind. */
export interface StepCallbacks {
  /**
   * Called with an action step before its code runs and before it is added to the memory. It can
   * inspect or change the code, or stop the run.
   */
  readonly code?: OneOrMore<StepCallback<ActionStep>> | undefined;
  readonly task?: OneOrMore<StepCallback<TaskStep>> | undefined;
  readonly planning?: OneOrMore<StepCallback<PlanningStep>> | undefined;
  readonly action?: OneOrMore<StepCallback<ActionStep>> | undefined;
  readonly final?: OneOrMore<StepCallback<FinalStep>> | undefined;
  readonly any?: OneOrMore<StepCallback> | undefined;
}

export const STEP_KINDS = ['task', 'planning', 'code', 'action', 'final', 'any'] as const;
type StepKind = (typeof STEP_KINDS)[number];

/** The callbacks of each kind of step. */
export type CallbackTable = Readonly<Record<StepKind, readonly StepCallback[]>>;

const callbackList = z
  .union([callback<StepCallback>().transform((one) => [one]), z.array(callback<StepCallback>())], {
    error: 'must be a function or a list of functions',
  })
  .default([]);

/** Schema of callbacks. A list of callbacks is for action steps. */
export const callbacksSchema = z
  .union([
    z.array(callback<StepCallback>()).transform((action) => ({ action })),
    z.strictObject({
      task: callbackList,
      planning: callbackList,
      code: callbackList,
      action: callbackList,
      final: callbackList,
      any: callbackList,
    }),
  ])
  .default({ action: [] })
  .transform((given): CallbackTable => ({
    task: [],
    planning: [],
    code: [],
    final: [],
    any: [],
    ...given,
  }));

/** Calls callbacks one after the other, until one of them stops the run. */
export async function runCallbacks(
  callbacks: readonly StepCallback[],
  step: MemoryStep,
  context: StepContext,
): Promise<void> {
  for (const call of callbacks) {
    await call(step, context);
    if (context.signal.aborted) return;
  }
}
