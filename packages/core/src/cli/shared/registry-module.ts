import path from 'node:path';
import { pathToFileURL } from 'node:url';

import type { ToolRegistry } from '../../tools/tool-registry.ts';

/**
 * The registry that a module exports, as `default` or as `registry`. The module is code of the
 * user's own: it runs here, with all rights.
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

/** By its shape: the module may have a copy of the package of its own. */
export function isRegistry(value: unknown): value is ToolRegistry {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['find', 'list', 'register'].every(
      (name) => typeof (value as Record<string, unknown>)[name] === 'function',
    )
  );
}
