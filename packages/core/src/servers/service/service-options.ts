import type { LimitsInput } from '@glovebox/protocol/limits';
import { limitsSchema } from '@glovebox/protocol/limits-schema';
import { z } from 'zod';

import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import type { Executor } from '../../executor/executor.ts';
import type { Planner } from '../../plan-execute/planner.ts';
import { callback, having } from '../../shared/check-options.ts';
import type { ToolRegistry } from '../../tools/tool-registry.ts';

/** Options of all servers. */
export interface ServiceOptions {
  /** Runs the code of clients. The server does not close it. */
  readonly executor: Executor;
  /** The tools that clients, and their code, may call; none by default. */
  readonly registry?: ToolRegistry | undefined;
  /** Calls the tools of its own registry; an alternative to `registry`. */
  readonly dispatcher?: Dispatcher | undefined;
  /** Makes plans for goals of clients; without it, clients must send a plan. */
  readonly planner?: Planner | undefined;
  /** Limits of each run, and the maximum that a client may request; `DEFAULT_LIMITS` by default. */
  readonly limits?: LimitsInput | undefined;
  /** Maximum number of concurrent calls of all clients; 256 by default. More calls are refused. */
  readonly maxCalls?: number | undefined;
  /** Maximum size of one message or HTTP body, in bytes; 4 MiB by default. */
  readonly maxMessageBytes?: number | undefined;
  /** How long running calls may take while the server closes, in milliseconds; 5000 by default. */
  readonly graceMs?: number | undefined;
  /** Called with errors of the server itself; by default it emits process warnings. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The schema of `ServiceOptions`, as the shape of an object schema. */
export const serviceShape = {
  executor: having<Executor>('openSession', 'an Executor'),
  registry: having<ToolRegistry>('register', 'a ToolRegistry').optional(),
  dispatcher: having<Dispatcher>('dispatch', 'a Dispatcher').optional(),
  planner: callback<Planner>().optional(),
  limits: limitsSchema.optional(),
  maxCalls: z.int().min(1).default(256),
  maxMessageBytes: z
    .int()
    .min(1024)
    .default(4 * 1024 * 1024),
  graceMs: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .default(5000),
  onError: callback<(error: unknown) => void>().default(
    () => (error: unknown) =>
      process.emitWarning(error instanceof Error ? error : String(error), 'GloveboxWarning'),
  ),
};

export type ServiceSettings = z.output<z.ZodObject<typeof serviceShape>>;
