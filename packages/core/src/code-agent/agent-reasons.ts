interface ReasonFacts {
  readonly when: string;
  readonly status: AgentStatus;
}

/** `interrupted`: somebody stopped it; it can go on with `reset: false`. */
export type AgentStatus = 'completed' | 'failed' | 'interrupted';

/** Every way in which a run of a code agent can end. `docs/code-agent.md` is checked against it. */
export const AGENT_REASONS = {
  answered: { when: 'The code called `finalAnswer`.', status: 'completed' },
  max_steps: {
    when: 'There was no answer after `maxSteps`; `answer` is what the model then said in words.',
    status: 'failed',
  },
  token_budget: { when: 'The model used `maxTokens` or more.', status: 'failed' },
  interrupted: { when: '`interrupt` was called; `cause` is its reason.', status: 'interrupted' },
  aborted: {
    when: "The caller's signal stopped it; `cause` is its reason.",
    status: 'interrupted',
  },
  model_error: { when: 'The model failed; `cause` is its error.', status: 'failed' },
  callback_error: {
    when: 'A callback threw; `cause` is its error.',
    status: 'failed',
  },
  box_error: { when: 'No code could be run; `cause` is why.', status: 'failed' },
} as const satisfies Record<string, ReasonFacts>;

export type AgentReason = keyof typeof AGENT_REASONS;
