import { z } from 'zod';

import { serviceShape } from '../service/service-options.ts';
import type { ServiceOptions } from '../service/service-options.ts';

/** What servers of MCP take. */
export interface McpOptions extends ServiceOptions {
  /** What the server calls itself; `glovebox` by default. */
  readonly name?: string | undefined;
  /** `0.0.0` by default. */
  readonly version?: string | undefined;
}

export const mcpShape = {
  ...serviceShape,
  name: z.string().min(1).default('glovebox'),
  version: z.string().min(1).default('0.0.0'),
};

export type McpSettings = z.output<z.ZodObject<typeof mcpShape>>;
