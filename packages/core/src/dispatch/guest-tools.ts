import type { ToolContext, Tools } from '../executor/run-tools.ts';
import type { DispatchRequest } from './dispatch-request.ts';
import type { DispatchResult } from './dispatch-result.ts';
import { nestContext } from './nest-context.ts';
import { ToolCallError } from './tool-call-error.ts';

/** What is needed of a dispatcher. */
interface Dispatches {
  dispatch(request: DispatchRequest): Promise<DispatchResult>;
}

/**
 * Tools for `executor.run` that go through a dispatcher: each returns the value of its dispatch, or
 * throws a `ToolCallError`.
 *
 * @param names Which ones; names with dots become functions in objects.
 * @param parent The call for which the guest runs, where there is one.
 */
export function createGuestTools(
  dispatcher: Dispatches,
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
