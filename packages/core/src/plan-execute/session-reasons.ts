interface ReasonFacts {
  readonly when: string;
  readonly status: SessionStatus;
  /** Whether the session can be resumed. */
  readonly resumable: boolean;
}

/** `interrupted`: the caller stopped it. */
export type SessionStatus = 'completed' | 'failed' | 'interrupted';

/** Every way in which a session can end. `docs/plan-execute.md` is checked against this table. */
export const SESSION_REASONS = {
  goal_met: {
    when: 'Every step of the plan is done.',
    status: 'completed',
    resumable: false,
  },
  no_plan: {
    when: 'The planner gave an empty plan.',
    status: 'failed',
    resumable: false,
  },
  step_budget: {
    when: 'The next steps would be more than `maxSteps`.',
    status: 'failed',
    resumable: false,
  },
  replan_budget: {
    when: 'A step failed, and the planner was asked `maxReplans` times already.',
    status: 'failed',
    resumable: false,
  },
  gave_up: {
    when: 'The planner said that the goal cannot be met.',
    status: 'failed',
    resumable: false,
  },
  bad_plan: {
    when: 'The planner, or a person, gave what is no plan.',
    status: 'failed',
    resumable: true,
  },
  rejected: {
    when: 'A person rejected the plan.',
    status: 'failed',
    resumable: false,
  },
  aborted: {
    when: "The caller's signal stopped it.",
    status: 'interrupted',
    resumable: true,
  },
  stopped: {
    when: 'Its process ended before it did, or has not ended yet; only replays say so.',
    status: 'interrupted',
    resumable: true,
  },
  planner_error: {
    when: 'The planner threw.',
    status: 'failed',
    resumable: true,
  },
  approval_error: {
    when: 'Asking a person failed.',
    status: 'failed',
    resumable: true,
  },
  store_error: {
    when: 'The log could not be written.',
    status: 'failed',
    resumable: true,
  },
  internal_error: {
    when: 'Something within the agent failed; a fault of this package.',
    status: 'failed',
    resumable: true,
  },
} as const satisfies Record<string, ReasonFacts>;

export type SessionReason = keyof typeof SESSION_REASONS;
