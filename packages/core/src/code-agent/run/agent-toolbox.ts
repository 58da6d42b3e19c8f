import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import { createGuestTools } from '../../dispatch/guest-tools.ts';
import type { Approve } from '../../dispatch/tool-approval.ts';
import type { ToolContext, Tools } from '../../executor/run-tools.ts';
import { ToolRegistry } from '../../tools/tool-registry.ts';
import type { RegisteredTool } from '../../tools/tool-registry.ts';
import type { ManagedAgent } from '../agent-options.ts';
import type { RunBudget } from './run-budget.ts';

/** Name of the function that code calls with the final answer. */
export const FINAL_ANSWER = 'finalAnswer';

/** The functions that the code of an agent may call. */
export class AgentToolbox {
  readonly #dispatcher: Dispatcher;
  readonly #approve: Approve | undefined;
  readonly #agents: readonly RegisteredTool[];

  /** @throws {GloveboxError} `DUPLICATE_TOOL`, `INVALID_NAME`, `INVALID_OPTIONS`. */
  constructor(
    dispatcher: Dispatcher,
    approve: Approve | undefined,
    agents: readonly ManagedAgent[],
  ) {
    this.#dispatcher = dispatcher;
    this.#approve = approve;
    // One registry for tools and agents, which checks that their names do not clash.
    const all = new ToolRegistry();
    for (const { definition } of dispatcher.registry.list()) all.register(definition);
    this.#agents = agents.map((agent) => all.register(agent.asTool()));
  }

  get tools(): readonly RegisteredTool[] {
    return this.#dispatcher.registry.list();
  }

  get agents(): readonly RegisteredTool[] {
    return this.#agents;
  }

  /** Creates the functions for one step, and the object that receives its final answer. */
  forStep(
    budget: RunBudget,
    parent: ToolContext | undefined,
  ): { tools: Tools; given: GivenAnswer } {
    // A new object for each step: code of other steps cannot reach it.
    const given: GivenAnswer = { answer: undefined };
    const agents = new Map(this.#agents.map((agent) => [agent.name, agent]));
    const dispatcher = {
      dispatch: (request: Parameters<Dispatcher['dispatch']>[0]) => {
        if (given.answer !== undefined) throw new AnswerGivenError();
        const { tool } = request;
        return budget.charge(() =>
          this.#dispatcher.dispatch({
            ...request,
            tool: (typeof tool === 'string' ? agents.get(tool) : undefined) ?? tool,
            ...(budget.calls === undefined ? {} : { budget: budget.calls }),
            ...(this.#approve === undefined ? {} : { approve: this.#approve }),
          }),
        );
      },
    };
    const names = [...this.tools, ...this.#agents].map(({ name }) => name);
    const finalAnswer = (value: unknown): never => {
      given.answer ??= { value };
      // This ends the code, unless it catches the error; then its tool calls throw as well.
      throw new AnswerGivenError();
    };
    const tools = { ...createGuestTools(dispatcher, names, parent), [FINAL_ANSWER]: finalAnswer };
    return { tools, given };
  }
}

/** Receives the first final answer of a step. */
export interface GivenAnswer {
  answer: { readonly value: unknown } | undefined;
}

class AnswerGivenError extends Error {
  override readonly name = 'AnswerGivenError';
  readonly code = 'ANSWER_GIVEN';

  constructor() {
    super('The final answer was given: the code ends here.');
  }
}
