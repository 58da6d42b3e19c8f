import { Dispatcher, ToolRegistry } from '@glovebox/core';
import type {
  AnyTool,
  DispatcherOptions,
  DispatchError,
  DispatchResult,
  ToolContext,
} from '@glovebox/core';

export interface Setup extends Omit<DispatcherOptions, 'registry'> {
  readonly tools: readonly AnyTool[];
}

/** A dispatcher of these tools. It does not wait between attempts, unless told how. */
export function dispatcherOf({ tools, ...options }: Setup): Dispatcher {
  const registry = new ToolRegistry();
  for (const tool of tools) registry.register(tool);
  return new Dispatcher({ registry, sleep: async () => undefined, ...options });
}

/** A trusted tool that counts its calls. */
export function counted(
  execute: (args: never, context: ToolContext) => unknown,
  definition: Partial<Omit<AnyTool, 'execute' | 'source'>> = {},
): AnyTool & { calls: unknown[] } {
  const calls: unknown[] = [];
  const tool = {
    name: 'work',
    ...definition,
    execute: (args: never, context: ToolContext) => {
      calls.push(args);
      return execute(args, context);
    },
  };
  // Not among the properties that a registry reads.
  return Object.defineProperty(tool, 'calls', {
    value: calls,
    enumerable: false,
  }) as typeof tool & {
    calls: unknown[];
  };
}

/** The value of a result that must have one. */
export function valueIn<T>(result: DispatchResult<T>): T {
  if (!result.ok) throw new Error(`${result.error.kind}: ${result.error.message}`);
  return result.value;
}

/** The error of a result that must have one. */
export function errorIn(result: DispatchResult): DispatchError {
  if (result.ok) throw new Error(`A value came: ${String(result.value)}`);
  return result.error;
}
