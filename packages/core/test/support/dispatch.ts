import { Dispatcher, ToolRegistry } from '../../src/index.ts';
import type { DispatcherOptions, ToolContext } from '../../src/index.ts';

/** A dispatcher of one trusted tool, `work`. */
export function dispatcherOf(
  execute: (args: never, context: ToolContext) => unknown,
  options: Omit<DispatcherOptions, 'registry'> = {},
): Dispatcher {
  const registry = new ToolRegistry();
  registry.register({ name: 'work', execute });
  return new Dispatcher({ registry, ...options });
}
