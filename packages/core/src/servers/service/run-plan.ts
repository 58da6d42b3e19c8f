import type { ToolDispatcher } from '../../dispatch/dispatcher.ts';
import type { Approve } from '../../dispatch/tool-approval.ts';
import { fixedPlanner } from '../../plan-execute/fixed-planner.ts';
import type { ApprovePlan } from '../../plan-execute/plan-approval.ts';
import type { PlanEvent } from '../../plan-execute/plan-events.ts';
import { PlanExecuteAgent } from '../../plan-execute/plan-execute-agent.ts';
import type { Planner } from '../../plan-execute/planner.ts';
import type { SessionResult } from '../../plan-execute/session-result.ts';
import { GloveboxError } from '../../shared/errors.ts';

/** The largest budgets that a client may request. */
export const MAX_STEPS = 200;
export const MAX_REPLANS = 50;

export interface PlanRequest {
  readonly goal: string;
  /** The steps of the client's plan; without them, the server's planner makes the plan. */
  readonly plan?: readonly unknown[] | undefined;
  readonly maxSteps?: number | undefined;
  readonly maxReplans?: number | undefined;
  /** Whether the client must approve each plan before it is executed. */
  readonly review: boolean;
}

interface RunPlanContext {
  readonly planner: Planner | undefined;
  readonly dispatcher: ToolDispatcher;
  readonly approve: Approve | undefined;
  readonly onEvent: ((event: PlanEvent) => void) | undefined;
  readonly signal: AbortSignal;
}

/**
 * Executes the plan of a client, or a plan that the planner makes for the client's goal.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS` if there is neither a plan nor a planner, or if a
 * review is requested and the client cannot be asked.
 */
export async function runPlan(
  { goal, plan, maxSteps, maxReplans, review }: PlanRequest,
  { planner, dispatcher, approve, onEvent, signal }: RunPlanContext,
): Promise<SessionResult> {
  const chosen = plan === undefined ? planner : fixedPlanner(plan);
  if (chosen === undefined) {
    throw invalidOption('plan', 'This server has no planner: send a plan.');
  }
  if (review && approve === undefined) {
    throw invalidOption('review', 'A plan can be reviewed only if the client can be asked.');
  }
  const agent = new PlanExecuteAgent({ planner: chosen, dispatcher, maxSteps, maxReplans });
  return agent.run(goal, {
    signal,
    onEvent,
    ...(review && approve !== undefined ? { approve: reviewBy(approve) } : {}),
  });
}

/** Asks for approval of a plan like for a tool call: the arguments are the plan. */
function reviewBy(approve: Approve): ApprovePlan {
  return async ({ goal, revision, steps, diff, lastError }, context) => {
    const why = lastError === null ? '' : ` The previous plan failed: ${lastError}.`;
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
        // The agent validates them like the steps of a planner.
        return { decision: 'edit', steps: edited ?? [] };
      }
    }
  };
}

function invalidOption(path: string, message: string): GloveboxError {
  return new GloveboxError('INVALID_OPTIONS', message, { path });
}
