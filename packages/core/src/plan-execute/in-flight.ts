import { z } from 'zod';

import { ABORTED, untilAborted } from '../dispatch/abort.ts';
import type { Journal } from './journal.ts';
import { toolNameOf } from './plan-steps.ts';
import { copyOf } from './planner.ts';
import type { StepFailure } from './step-failure.ts';
import type { StepRunner } from './step-runner.ts';

/** A step that was under way when its session stopped, and that does harm when run twice. */
export interface InFlightQuestion {
  readonly sessionId: string;
  readonly stepId: number;
  readonly toolName: string;
  /** As planned. */
  readonly args: unknown;
  /** The key that the tool was given. */
  readonly idempotencyKey: string;
}

export type InFlightDecision =
  /** Call the tool again, with the same idempotency key. */
  | { readonly action: 'run_again' }
  /** The step has failed: the planner is asked. */
  | { readonly action: 'fail' }
  /** It was carried out, and this came of it. */
  | { readonly action: 'take_result'; readonly result: unknown };

/** Decides about a step of which nobody knows whether it was carried out. */
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
  message: 'It was under way when the session stopped; it may have been carried out.',
};

/** A step that was under way, and what becomes of it. */
export interface DecidedStep {
  readonly stepId: number;
  readonly gatherId: number | undefined;
  readonly decision: InFlightDecision;
}

/**
 * Decides what becomes of the steps that were under way when a session stopped: those that do no
 * harm twice are run again, about others is decided, or they fail. Throws what the decider throws.
 */
export async function decideAll(
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

/** Writes down that the session goes on, and how the steps ended that are not run again. */
export async function carryOut(
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
