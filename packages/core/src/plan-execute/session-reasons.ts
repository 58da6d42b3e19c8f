interface ReasonFacts {
  /** When a session ends for this reason. */
  readonly when: string;
  readonly status: SessionStatus;
  /** Whether the session can be resumed. */
  readonly resumable: boolean;
}

/** `interrupted`: the caller stopped the session, or its process ended. */
export type SessionStatus = 'completed' | 'failed' | 'interrupted';

/** All reasons why a session can end. A test compares `docs/plan-execute.md` with this table. */
export const SESSION_REASONS = {
  goal_met: {
    when: 'Every step of the plan is done.',
    status: 'completed',
    resumable: false,
  },
  no_plan: {
    when: 'The planner returned an empty plan.',
    status: 'failed',
    resumable: false,
  },
  step_budget: {
    when: 'The next steps would exceed `maxSteps`.',
    status: 'failed',
    resumable: false,
  },
  replan_budget: {
    when: 'A step failed, and the planner has already made `maxReplans` new plans.',
    status: 'failed',
    resumable: false,
  },
  gave_up: {
    when: 'The planner said that the goal cannot be met.',
    status: 'failed',
    resumable: false,
  },
  bad_plan: {
    when: 'The planner or a person gave an invalid plan.',
    status: 'failed',
    resumable: true,
  },
  rejected: {
    when: 'A person rejected the plan.',
    status: 'failed',
    resumable: false,
  },
  aborted: {
    when: "The caller's signal stopped the session.",
    status: 'interrupted',
    resumable: true,
  },
  stopped: {
    when: 'The process died, or the session is still running; only replays have this reason.',
    status: 'interrupted',
    resumable: true,
  },
  planner_error: {
    when: 'The planner threw.',
    status: 'failed',
    resumable: true,
  },
  approval_error: {
    when: 'Asking a person for a decision failed.',
    status: 'failed',
    resumable: true,
  },
  store_error: {
    when: 'The log could not be written.',
    status: 'failed',
    resumable: true,
  },
  internal_error: {
    when: 'The agent itself failed: an error in this package.',
    status: 'failed',
    resumable: true,
  },
} as const satisfies Record<string, ReasonFacts>;

export type SessionReason = keyof typeof SESSION_REASONS;
