import { z } from 'zod';

import { serviceShape } from '../service/service-options.ts';
import type { ServiceOptions } from '../service/service-options.ts';

/** Options of all MCP servers. */
export interface McpOptions extends ServiceOptions {
  /** Name that the server reports to clients; `glovebox` by default. */
  readonly name?: string | undefined;
  /** Version that the server reports to clients; `0.0.0` by default. */
  readonly version?: string | undefined;
}

export const mcpShape = {
  ...serviceShape,
  name: z.string().min(1).default('glovebox'),
  version: z.string().min(1).default('0.0.0'),
};

export type McpSettings = z.output<z.ZodObject<typeof mcpShape>>;
