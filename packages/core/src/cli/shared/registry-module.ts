import path from 'node:path';
import { pathToFileURL } from 'node:url';

import type { ToolRegistry } from '../../tools/tool-registry.ts';

/**
 * Loads the registry that a module exports as `default` or as `registry`. The module is the user's
 * own code: it runs in this process, with all rights.
 *
 * @throws Error The module cannot be loaded, or exports no registry.
 */
export async function loadRegistry(file: string): Promise<ToolRegistry> {
  const loaded = (await import(pathToFileURL(path.resolve(file)).href)) as Record<string, unknown>;
  const registry = [loaded['registry'], loaded['default']].find(isRegistry);
  if (registry === undefined) {
    throw new Error(`${file} exports no ToolRegistry, neither as default nor as registry.`);
  }
  return registry;
}

/** Checks the methods, not the class: the module may use its own copy of this package. */
export function isRegistry(value: unknown): value is ToolRegistry {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['find', 'list', 'register'].every(
      (name) => typeof (value as Record<string, unknown>)[name] === 'function',
    )
  );
}
