import { deserialize, SerializationError, serialize } from '@glovebox/serializer/safe';
import { z } from 'zod';

import { isGather, planSchema } from './plan-steps.ts';
import type { PlanStep } from './plan-steps.ts';
import { findReferenceFault } from './references.ts';
import type { StepRecord } from './step-records.ts';

/** What a planner gets in addition to goal, history and last error. */
export interface PlannerContext {
  /** Aborted when the plan is no longer needed. */
  readonly signal: AbortSignal;
  readonly sessionId: string;
  /** How many more steps may be executed. */
  readonly remainingSteps: number;
  /** How many more plans may be made after this one. */
  readonly remainingReplans: number;
  /** Ids of the results that arguments may refer to. */
  readonly resultIds: readonly number[];
}

/** A planner's answer that the goal cannot be met, with the reason. */
export interface GivenUp {
  readonly gaveUp: string;
}

/**
 * Makes the first plan, and after each failure a new plan for the remaining steps. An empty plan
 * ends the session with `no_plan`.
 *
 * @param history Copies of the steps that were executed.
 * @param lastError Name and message of the latest failure; null for the first plan.
 */
export type Planner = (
  goal: string,
  history: readonly StepRecord[],
  lastError: string | null,
  context: PlannerContext,
) => readonly PlanStep[] | GivenUp | Promise<readonly PlanStep[] | GivenUp>;

export type ReadPlan =
  | { readonly ok: true; readonly plan: readonly PlanStep[] }
  | { readonly ok: false; readonly message: string };

const givenUp = z.object({ gaveUp: z.string() });

export function readGivenUp(value: unknown): GivenUp | undefined {
  return givenUp.safeParse(value).data;
}

/**
 * Validates a plan of a planner, a model or a person: its shape, that ids are unique, that it can
 * be serialized, and that references refer to steps that are done before.
 *
 * @param known Ids of the results that already exist; none by default.
 * @returns A copy of the plan, or a message with the first errors.
 */
export function readPlan(value: unknown, known: Iterable<number> = []): ReadPlan {
  const parsed = planSchema.safeParse(value);
  if (!parsed.success) return { ok: false, message: describe(parsed.error) };
  let plan: readonly PlanStep[];
  try {
    plan = copyOf(parsed.data);
  } catch (thrown) {
    if (!(thrown instanceof SerializationError)) throw thrown;
    return { ok: false, message: `The plan is not serializable: ${thrown.message}` };
  }
  const message = findRepeatedId(plan) ?? findReferenceFault(plan, known);
  return message === undefined ? { ok: true, plan } : { ok: false, message };
}

/** A deep copy of data, so that later changes of the original do not affect it. */
export function copyOf<T>(value: T): T {
  // Deserializing gives the same value, so the type is the same.
  return deserialize<T>(serialize(value));
}

function describe({ issues }: z.ZodError): string {
  return issues
    .slice(0, 5)
    .map(({ path, message }) => {
      const [place, ...keys] = path.map(String);
      if (place === undefined) return `The plan ${message}`;
      return `Step at position ${Number(place) + 1}: ${[...keys, message].join(': ')}`;
    })
    .join('; ');
}

function findRepeatedId(plan: readonly PlanStep[]): string | undefined {
  const seen = new Set<number>();
  for (const step of plan) {
    for (const { id } of isGather(step) ? [step, ...step.gather] : [step]) {
      if (seen.has(id)) return `Two steps have the id ${id}.`;
      seen.add(id);
    }
  }
  return undefined;
}
