import { z } from 'zod';

import { ABORTED, untilAborted } from '../dispatch/abort.ts';
import type { Journal } from './journal.ts';
import { toolNameOf } from './plan-steps.ts';
import { copyOf } from './planner.ts';
import type { StepFailure } from './step-failure.ts';
import type { StepRunner } from './step-runner.ts';

/** A step that was running when its session stopped, and that is not idempotent. */
export interface InFlightQuestion {
  readonly sessionId: string;
  readonly stepId: number;
  readonly toolName: string;
  /** The arguments as planned. */
  readonly args: unknown;
  /** The idempotency key that the tool received. */
  readonly idempotencyKey: string;
}

export type InFlightDecision =
  /** Call the tool again, with the same idempotency key. */
  | { readonly action: 'run_again' }
  /** The step counts as failed: the planner is asked. */
  | { readonly action: 'fail' }
  /** The step took effect, with this result. */
  | { readonly action: 'take_result'; readonly result: unknown };

/** Decides how to continue with a step if it is unknown whether the step took effect. */
export type DecideInFlight = (
  question: InFlightQuestion,
  context: { readonly signal: AbortSignal },
) => InFlightDecision | Promise<InFlightDecision>;

const inFlightDecisionSchema = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('run_again') }),
  z.strictObject({ action: z.literal('fail') }),
  z.strictObject({ action: z.literal('take_result'), result: z.unknown() }),
]);

const IN_FLIGHT: StepFailure = {
  kind: 'in_flight',
  message: 'It was running when the session stopped; it may have taken effect.',
};

/** A step that was running when its session stopped, and the decision about it. */
export interface DecidedStep {
  readonly stepId: number;
  readonly gatherId: number | undefined;
  readonly decision: InFlightDecision;
}

/**
 * Decides about the steps that were running when a session stopped. Idempotent steps run again. For
 * the others `decide` is called; without it they fail. Throws what `decide` throws.
 */
export async function decideInFlightSteps(
  { header, state }: Journal,
  runner: StepRunner,
  decide: DecideInFlight | undefined,
  signal: AbortSignal,
): Promise<readonly DecidedStep[] | typeof ABORTED> {
  const decided: DecidedStep[] = [];
  for (const [stepId, { step, signature, gatherId }] of state.inFlight) {
    if (runner.isIdempotent(step)) {
      decided.push({ stepId, gatherId, decision: { action: 'run_again' } });
      continue;
    }
    const question: InFlightQuestion = {
      sessionId: header.sessionId,
      stepId,
      toolName: toolNameOf(step),
      args: step.args,
      idempotencyKey: runner.idempotencyKey(stepId, signature),
    };
    const asked = (async () => decide?.(question, { signal }) ?? { action: 'fail' })();
    const answer = await untilAborted(asked, signal);
    if (answer === ABORTED) return ABORTED;
    const decision = copyOf(inFlightDecisionSchema.parse(answer));
    decided.push({ stepId, gatherId, decision });
  }
  return decided;
}

/** Writes that the session is resumed, and how the steps ended that are not run again. */
export async function recordDecisions(
  decided: readonly DecidedStep[],
  journal: Journal,
  runner: StepRunner,
): Promise<void> {
  const inFlight = decided.map(({ stepId, decision: { action } }) => ({ stepId, action }));
  await journal.emit({ type: 'session.resume', payload: { inFlight } });
  for (const { stepId, gatherId, decision } of decided) {
    if (decision.action === 'fail') await runner.fail(stepId, gatherId, IN_FLIGHT);
    if (decision.action === 'take_result') {
      const payload = { stepId, gatherId, outcome: 'ok', result: decision.result } as const;
      await journal.emit({ type: 'step.end', payload });
    }
  }
}
