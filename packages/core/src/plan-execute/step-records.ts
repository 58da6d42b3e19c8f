import { toolNameOf } from './plan-steps.ts';
import type { SingleStep } from './plan-steps.ts';
import type { StepFailure } from './step-failure.ts';

/** A step that was executed, with its result or failure. */
export interface StepRecord {
  readonly id: number;
  /** `plan.code` for a step that is code. */
  readonly toolName: string;
  /** The arguments as planned, with unresolved references. */
  readonly args: unknown;
  readonly expectedOutcome: string | undefined;
  readonly code?: string;
  readonly uses?: readonly string[];
  /** Undefined if the step failed. */
  readonly result: unknown;
  /** Name and message of the failure; null if the step succeeded. */
  readonly error: string | null;
  readonly failure?: StepFailure;
  /** Whether the result was reused from an earlier step, without a call. */
  readonly cached: boolean;
  /** Revision of the plan that contained the step. */
  readonly revision: number;
}

/** How a step ended. */
export interface StepEnd {
  readonly result?: unknown;
  readonly error?: string | undefined;
  readonly failure?: StepFailure | undefined;
  readonly cached?: boolean;
}

export function recordOf(step: SingleStep, end: StepEnd, revision: number): StepRecord {
  const { error = null, failure, cached = false } = end;
  return {
    id: step.id,
    toolName: toolNameOf(step),
    args: step.args,
    expectedOutcome: step.expectedOutcome,
    ...('code' in step ? { code: step.code } : {}),
    ...('code' in step && step.uses !== undefined ? { uses: step.uses } : {}),
    result: error === null ? end.result : undefined,
    error,
    ...(failure === undefined ? {} : { failure }),
    cached,
    revision,
  };
}
