import { callTool } from '../../executor/run-tools.ts';
import type { ToolContext, ToolDefinition, ToolFunction, Tools } from '../../executor/run-tools.ts';

/** The final answer of one call, and the tools that lead to it. */
export class FinalAnswer {
  #given: { readonly value: unknown } | undefined;

  /** The answer; the first one counts. */
  get given(): { readonly value: unknown } | undefined {
    return this.#given;
  }

  /** These tools, which do nothing once there is an answer, and the one that takes it. */
  within(tools: Tools, name: string): Tools {
    const guarded = Object.entries(tools).map(([tool, call]) => [tool, this.#guard(call)] as const);
    return { ...Object.fromEntries(guarded), [name]: this.#take(tools[name]) };
  }

  #guard(tool: ToolFunction | ToolDefinition): ToolFunction {
    return async (input: unknown, context: ToolContext) => {
      if (this.#given !== undefined) throw new FinalAnswerGivenError();
      return callTool(tool, input, context);
    };
  }

  #take(tool: ToolFunction | ToolDefinition | undefined): ToolFunction {
    return async (input: unknown, context: ToolContext) => {
      const value = tool === undefined ? input : await callTool(tool, input, context);
      this.#given ??= { value };
      // The code ends here, unless it catches this.
      throw new FinalAnswerGivenError();
    };
  }
}

class FinalAnswerGivenError extends Error {
  override readonly name = 'FinalAnswerGivenError';
  readonly code = 'FINAL_ANSWER_GIVEN';

  constructor() {
    super('The final answer was given: the code ends here.');
  }
}
