import { AsyncLocalStorage } from 'node:async_hooks';

import type { CallBudget } from '../../dispatch/dispatch-request.ts';
import type { TokenUsage } from '../memory/agent-steps.ts';

const budgets = new AsyncLocalStorage<RunBudget>();

/** What one run may use and has used. What a run within it uses counts here too. */
export class RunBudget {
  /** Tool calls that may still be made; undefined where nobody counts them. */
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

  /** Whether the model may be asked again. */
  get hasTokens(): boolean {
    const { inputTokens, outputTokens } = this.#usage;
    return inputTokens + outputTokens < this.#maxTokens && this.#outer?.hasTokens !== false;
  }

  spend(usage: TokenUsage): void {
    this.#usage.inputTokens += usage.inputTokens;
    this.#usage.outputTokens += usage.outputTokens;
    this.#outer?.spend(usage);
  }

  /** Does something on this budget: the runs of agents that begin in it are within this one. */
  charge<T>(work: () => T): T {
    return budgets.run(this, work);
  }
}
