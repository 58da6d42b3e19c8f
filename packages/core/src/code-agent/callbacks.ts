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

/** What a callback may use beside its step. */
export interface StepContext {
  /** The memory of the agent, with this step in it. */
  readonly memory: AgentMemory;
  /** Fires when the run is stopped. */
  readonly signal: AbortSignal;
  /** Stops the run: nothing runs after this callback has come to its end. */
  readonly interrupt: (reason?: unknown) => void;
}

/**
 * Called when a step is in the memory. It may change the step, and the run waits for it. What it
 * throws ends the run.
 */
export type StepCallback<Step extends MemoryStep = MemoryStep> = (
  step: Step,
  context: StepContext,
) => unknown;

type OneOrMore<T> = T | readonly T[];

/** Callbacks by the kind of step; `any` is called for each, after those of its kind. */
export interface StepCallbacks {
  /**
   * Called with an action step whose code is about to run, before it is in the memory: to look at
   * the code, change it, or stop the run.
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

const some = z
  .union([callback<StepCallback>().transform((one) => [one]), z.array(callback<StepCallback>())], {
    error: 'must be a function or functions',
  })
  .default([]);

/** Schema of callbacks; a list of them is for action steps. */
export const callbacksSchema = z
  .union([
    z.array(callback<StepCallback>()).transform((action) => ({ action })),
    z.strictObject({
      task: some,
      planning: some,
      code: some,
      action: some,
      final: some,
      any: some,
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

/** Calls callbacks one after the other, until one stops the run. */
export async function callBack(
  callbacks: readonly StepCallback[],
  step: MemoryStep,
  context: StepContext,
): Promise<void> {
  for (const call of callbacks) {
    await call(step, context);
    if (context.signal.aborted) return;
  }
}
