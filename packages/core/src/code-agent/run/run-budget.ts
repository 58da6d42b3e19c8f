import { AsyncLocalStorage } from 'node:async_hooks';

import type { CallBudget } from '../../dispatch/dispatch-request.ts';
import type { TokenUsage } from '../memory/agent-steps.ts';

const budgets = new AsyncLocalStorage<RunBudget>();

/** The limits of one run, and what it has used. The use of nested runs counts as well. */
export class RunBudget {
  /** Remaining tool calls; undefined if there is no limit. */
  readonly calls: CallBudget | undefined;
  readonly #usage = { inputTokens: 0, outputTokens: 0 };
  readonly #maxTokens: number;
  readonly #outer: RunBudget | undefined;

  constructor(maxTokens: number | undefined, maxToolCalls: number | undefined) {
    this.calls = maxToolCalls === undefined ? undefined : { remaining: maxToolCalls };
    this.#maxTokens = maxTokens ?? Infinity;
    this.#outer = budgets.getStore();
  }

  get usage(): TokenUsage {
    return { ...this.#usage };
  }

  /** Whether there are tokens left for another model call. */
  get hasTokens(): boolean {
    const { inputTokens, outputTokens } = this.#usage;
    return inputTokens + outputTokens < this.#maxTokens && this.#outer?.hasTokens !== false;
  }

  spend(usage: TokenUsage): void {
    this.#usage.inputTokens += usage.inputTokens;
    this.#usage.outputTokens += usage.outputTokens;
    this.#outer?.spend(usage);
  }

  /** Calls `work` with this budget: runs of agents that start in it are nested in this run. */
  charge<T>(work: () => T): T {
    return budgets.run(this, work);
  }
}
