import type { ToolContext, Tools } from '../executor/run-tools.ts';
import type { DispatchRequest } from './dispatch-request.ts';
import type { DispatchResult } from './dispatch-result.ts';
import { nestContext } from './nest-context.ts';
import { ToolCallError } from './tool-call-error.ts';

/** The part of a dispatcher that is needed here. */
interface CanDispatch {
  dispatch(request: DispatchRequest): Promise<DispatchResult>;
}

/**
 * Creates tools for `executor.run` that call a dispatcher. Each returns the value of its dispatch, or
 * throws a `ToolCallError`.
 *
 * @param names Names of the tools. A name with dots becomes a function in an object.
 * @param parent The context of the outer tool call, if the guest runs as part of one.
 */
export function createGuestTools(
  dispatcher: CanDispatch,
  names: readonly string[],
  parent?: ToolContext,
): Tools {
  return Object.fromEntries(
    names.map((tool) => [
      tool,
      async (args: unknown, context: ToolContext): Promise<unknown> => {
        const request = { tool, args, parent: nestContext(context, parent) };
        const result = await dispatcher.dispatch(request);
        if (result.ok) return result.value;
        throw new ToolCallError(result.error);
      },
    ]),
  );
}
