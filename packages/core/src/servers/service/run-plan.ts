import type { ToolDispatcher } from '../../dispatch/dispatcher.ts';
import type { Approve } from '../../dispatch/tool-approval.ts';
import { fixedPlanner } from '../../plan-execute/fixed-planner.ts';
import type { ApprovePlan } from '../../plan-execute/plan-approval.ts';
import type { PlanEvent } from '../../plan-execute/plan-events.ts';
import { PlanExecuteAgent } from '../../plan-execute/plan-execute-agent.ts';
import type { Planner } from '../../plan-execute/planner.ts';
import type { SessionResult } from '../../plan-execute/session-result.ts';
import { GloveboxError } from '../../shared/errors.ts';

/** The most that a client may ask for. */
export const MOST_STEPS = 200;
export const MOST_REPLANS = 50;

export interface PlanRequest {
  readonly goal: string;
  /** The steps, where the client has planned; else the server's planner does. */
  readonly plan?: readonly unknown[] | undefined;
  readonly maxSteps?: number | undefined;
  readonly maxReplans?: number | undefined;
  /** Ask about each plan before it is in force. */
  readonly review: boolean;
}

interface Surroundings {
  readonly planner: Planner | undefined;
  readonly dispatcher: ToolDispatcher;
  readonly approve: Approve | undefined;
  readonly onEvent: ((event: PlanEvent) => void) | undefined;
  readonly signal: AbortSignal;
}

/**
 * Carries out a plan of a client, or one that is made for its goal.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS`: there is no planner, or nobody who could be asked.
 */
export async function runPlan(
  { goal, plan, maxSteps, maxReplans, review }: PlanRequest,
  { planner, dispatcher, approve, onEvent, signal }: Surroundings,
): Promise<SessionResult> {
  const plans = plan === undefined ? planner : fixedPlanner(plan);
  if (plans === undefined) throw refused('plan', 'This server has no planner: bring the plan.');
  if (review && approve === undefined) {
    throw refused('review', 'A plan can be reviewed only where the client can be asked.');
  }
  const agent = new PlanExecuteAgent({ planner: plans, dispatcher, maxSteps, maxReplans });
  return agent.run(goal, {
    signal,
    onEvent,
    ...(review && approve !== undefined ? { approve: reviewBy(approve) } : {}),
  });
}

/** Asks about a plan as about a call: its arguments are the plan. */
function reviewBy(approve: Approve): ApprovePlan {
  return async ({ goal, revision, steps, diff, lastError }, context) => {
    const why = lastError === null ? '' : ` The one before failed: ${lastError}.`;
    const request = {
      dispatchId: 0,
      tool: 'plan',
      description: `Revision ${revision} of the plan for: ${goal}.${why}`,
      args: diff === undefined ? { steps } : { steps, diff },
      within: [],
    };
    const answer = await approve(request, context);
    switch (answer.decision) {
      case 'approve':
        return answer;
      case 'deny':
        return { decision: 'reject', reason: answer.reason };
      case 'edit': {
        const { steps: edited } = answer.args as { readonly steps?: typeof steps };
        // The agent reads them like those of a planner.
        return { decision: 'edit', steps: edited ?? [] };
      }
    }
  };
}

function refused(path: string, message: string): GloveboxError {
  return new GloveboxError('INVALID_OPTIONS', message, { path });
}
