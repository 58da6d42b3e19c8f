interface ReasonFacts {
  /** When a run ends for this reason. */
  readonly when: string;
  readonly status: AgentStatus;
}

/** `interrupted`: the run was stopped; it can be continued with `reset: false`. */
export type AgentStatus = 'completed' | 'failed' | 'interrupted';

/** All reasons why a run can end. A test compares `docs/code-agent.md` with this table. */
export const AGENT_REASONS = {
  answered: { when: 'The code called `finalAnswer`.', status: 'completed' },
  max_steps: {
    when: 'There was no answer after `maxSteps`; `answer` is a text of the model instead.',
    status: 'failed',
  },
  token_budget: { when: 'The model used `maxTokens` or more.', status: 'failed' },
  interrupted: { when: '`interrupt` was called; `cause` is its reason.', status: 'interrupted' },
  aborted: {
    when: "The caller's signal stopped the run; `cause` is its reason.",
    status: 'interrupted',
  },
  model_error: { when: 'The call of the model failed; `cause` is the error.', status: 'failed' },
  callback_error: {
    when: 'A callback threw; `cause` is the error.',
    status: 'failed',
  },
  box_error: { when: 'The sandbox could not run code; `cause` is the error.', status: 'failed' },
} as const satisfies Record<string, ReasonFacts>;

export type AgentReason = keyof typeof AGENT_REASONS;
