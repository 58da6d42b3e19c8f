import { callTool } from '../../executor/run-tools.ts';
import type { ToolContext, ToolDefinition, ToolFunction, Tools } from '../../executor/run-tools.ts';

/** Captures the final answer of one call. */
export class FinalAnswer {
  #given: { readonly value: unknown } | undefined;

  /** The first answer that the code gave; undefined if there is none. */
  get given(): { readonly value: unknown } | undefined {
    return this.#given;
  }

  /** The tools, which refuse calls after the answer, and the tool that receives the answer. */
  wrapTools(tools: Tools, name: string): Tools {
    const guarded = Object.entries(tools).map(([tool, call]) => [tool, this.#guard(call)] as const);
    return { ...Object.fromEntries(guarded), [name]: this.#receive(tools[name]) };
  }

  #guard(tool: ToolFunction | ToolDefinition): ToolFunction {
    return async (input: unknown, context: ToolContext) => {
      if (this.#given !== undefined) throw new FinalAnswerGivenError();
      return callTool(tool, input, context);
    };
  }

  #receive(tool: ToolFunction | ToolDefinition | undefined): ToolFunction {
    return async (input: unknown, context: ToolContext) => {
      const value = tool === undefined ? input : await callTool(tool, input, context);
      this.#given ??= { value };
      // This ends the code, unless it catches the error.
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
