import { deserialize, SerializationError, serialize } from '@glovebox/serializer/safe';
import { z } from 'zod';

import { isGather, planSchema } from './plan-steps.ts';
import type { PlanStep } from './plan-steps.ts';
import { findReferenceFault } from './references.ts';
import type { StepRecord } from './step-records.ts';

/** What a planner is told beside goal, history and error. */
export interface PlannerContext {
  /** Aborted when the plan is not wanted any more. */
  readonly signal: AbortSignal;
  readonly sessionId: string;
  /** Steps that may still be carried out, and plans that may still be made after this one. */
  readonly remainingSteps: number;
  readonly remainingReplans: number;
  /** Ids of the results that arguments may refer to. */
  readonly resultIds: readonly number[];
}

/** A planner's word that the goal cannot be met. */
export interface GivenUp {
  readonly gaveUp: string;
}

/**
 * Makes a plan: the first one, and after each failure one for what is left. An empty plan ends the
 * session with `no_plan`.
 *
 * @param history Copies of the steps that were carried out.
 * @param lastError Name and message of the newest failure; null for the first plan.
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
 * Reads a plan as a planner, a model or a person gave it: its shape, that ids are unique, that it is
 * data, and that references name steps which are done by then.
 *
 * @param known Ids of the results that there are already; none by default.
 * @returns The plan, a copy; or the first faults.
 */
export function readPlan(value: unknown, known: Iterable<number> = []): ReadPlan {
  const parsed = planSchema.safeParse(value);
  if (!parsed.success) return { ok: false, message: describe(parsed.error) };
  let plan: readonly PlanStep[];
  try {
    plan = copyOf(parsed.data);
  } catch (thrown) {
    if (!(thrown instanceof SerializationError)) throw thrown;
    return { ok: false, message: `The plan is no data: ${thrown.message}` };
  }
  const message = findRepeatedId(plan) ?? findReferenceFault(plan, known);
  return message === undefined ? { ok: true, plan } : { ok: false, message };
}

/** A copy of data, so that nobody else's changes reach it. */
export function copyOf<T>(value: T): T {
  // What was serialized comes back as it was: the type is the same.
  return deserialize<T>(serialize(value));
}

function describe({ issues }: z.ZodError): string {
  return issues
    .slice(0, 5)
    .map(({ path, message }) => {
      const [place, ...keys] = path.map(String);
      if (place === undefined) return `The plan ${message}`;
      return `Step at place ${Number(place) + 1}: ${[...keys, message].join(': ')}`;
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
