import type { LimitsInput } from '@glovebox/protocol/limits';
import { limitsSchema } from '@glovebox/protocol/limits-schema';
import { z } from 'zod';

import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import type { Executor } from '../../executor/executor.ts';
import type { Planner } from '../../plan-execute/planner.ts';
import { callback, having } from '../../shared/check-options.ts';
import type { ToolRegistry } from '../../tools/tool-registry.ts';

/** What every server takes. */
export interface ServiceOptions {
  /** Runs code of clients. It stays its owner's: a server that closes does not close it. */
  readonly executor: Executor;
  /** The tools that clients, and their code, may call; none by default. */
  readonly registry?: ToolRegistry | undefined;
  /** Calls the tools of its own registry; in place of `registry`. */
  readonly dispatcher?: Dispatcher | undefined;
  /** Plans for goals that clients bring; without it they bring the plan as well. */
  readonly planner?: Planner | undefined;
  /** Limits of each run, and the most that a client may ask for; `DEFAULT_LIMITS` unless given. */
  readonly limits?: LimitsInput | undefined;
  /** Calls under way at once, of all clients; 256 by default. Further ones are refused. */
  readonly maxCalls?: number | undefined;
  /** Bytes of one message, or of one HTTP body; 4 MiB by default. Larger ones are refused. */
  readonly maxMessageBytes?: number | undefined;
  /** How long calls may go on while the server closes, in milliseconds; 5000 by default. */
  readonly graceMs?: number | undefined;
  /** Hears of faults of the server itself; by default they are process warnings. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The parts of a schema of what every server takes. */
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
