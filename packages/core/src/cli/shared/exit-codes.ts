import type { AgentReason } from '../../code-agent/agent-reasons.ts';
import type { DispatchError } from '../../dispatch/dispatch-result.ts';
import type { SessionReason } from '../../plan-execute/session-reasons.ts';
import type { OutcomeCode } from '../../shared/errors.ts';

/** Exit codes of the command line. */
export const EXIT = {
  ok: 0,
  /** The guest's code or the tool threw, did not compile, or its result is not serializable. */
  guestFailed: 1,
  /** Wrong usage: options, files or names. */
  misuse: 2,
  /** A limit ended the run. */
  limit: 3,
  /** The sandbox failed, not the code. */
  sandboxFailed: 4,
  /** A plan needs more steps than allowed. */
  stepBudget: 5,
  /** Plans failed more often than the limit of new plans allows. */
  replanBudget: 6,
  /** The planner returned an empty plan. */
  noPlan: 7,
  /** A person rejected the plan. */
  rejected: 8,
  /** The planner says that the goal cannot be met. */
  gaveUp: 9,
  /** Interrupted by Ctrl-C. */
  interrupted: 130,
} as const;

/** The exit code for a run that failed with this outcome code. */
export function exitCodeOf(code: OutcomeCode): number {
  switch (code) {
    case 'GUEST_ERROR':
    case 'SYNTAX_ERROR':
    case 'UNSERIALIZABLE_RESULT':
      return EXIT.guestFailed;
    case 'WALL_LIMIT':
    case 'CPU_LIMIT':
    case 'MEMORY_LIMIT':
    case 'SOURCE_LIMIT':
    case 'VARIABLES_LIMIT':
    case 'RESULT_LIMIT':
    case 'TOOL_CALL_LIMIT':
    case 'TOOL_DATA_LIMIT':
      return EXIT.limit;
    case 'ABORTED':
      return EXIT.interrupted;
    case 'QUEUE_FULL':
    case 'QUEUE_TIMEOUT':
    case 'HOST_LOST':
    case 'QUARANTINED':
    case 'SESSION_UNKNOWN':
    case 'SESSION_LOST':
    case 'PROTOCOL_ERROR':
      return EXIT.sandboxFailed;
  }
}

/** The exit code for a tool call that failed. */
export function exitCodeOfCall({ kind, outcomeCode }: DispatchError): number {
  if (outcomeCode !== undefined) return exitCodeOf(outcomeCode);
  switch (kind) {
    case 'invalid_request':
    case 'not_found':
    case 'schema':
    case 'idempotency_conflict':
      return EXIT.misuse;
    case 'timeout':
    case 'budget_exceeded':
      return EXIT.limit;
    case 'aborted':
      return EXIT.interrupted;
    case 'circuit_open':
      return EXIT.sandboxFailed;
    case 'recursion':
    case 'denied':
    case 'transient':
    case 'internal':
    case 'output_schema':
    case 'unserializable':
      return EXIT.guestFailed;
  }
}

/** The exit code for a plan-execute session. */
export function exitCodeOfSession(reason: SessionReason): number {
  switch (reason) {
    case 'goal_met':
      return EXIT.ok;
    case 'step_budget':
      return EXIT.stepBudget;
    case 'replan_budget':
      return EXIT.replanBudget;
    case 'no_plan':
      return EXIT.noPlan;
    case 'rejected':
      return EXIT.rejected;
    case 'gave_up':
      return EXIT.gaveUp;
    case 'aborted':
    case 'stopped':
      return EXIT.interrupted;
    case 'store_error':
      return EXIT.sandboxFailed;
    case 'bad_plan':
    case 'planner_error':
    case 'approval_error':
    case 'internal_error':
      return EXIT.guestFailed;
  }
}

/** The exit code for a run of a code agent. */
export function exitCodeOfAgent(reason: AgentReason): number {
  switch (reason) {
    case 'answered':
      return EXIT.ok;
    case 'max_steps':
      return EXIT.stepBudget;
    case 'token_budget':
      return EXIT.limit;
    // On the command line, only the review of a plan interrupts a run.
    case 'interrupted':
      return EXIT.rejected;
    case 'aborted':
      return EXIT.interrupted;
    case 'model_error':
    case 'callback_error':
      return EXIT.guestFailed;
    case 'box_error':
      return EXIT.sandboxFailed;
  }
}
