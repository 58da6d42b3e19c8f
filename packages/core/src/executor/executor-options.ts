import { OPTIONAL_GLOBALS } from '@glovebox/protocol/guest-globals';
import { limitsSchema } from '@glovebox/protocol/limits-schema';
import { z } from 'zod';

import type { SpawnHost } from '../pools/process/launch-host.ts';
import type { QuarantineOptions } from '../pools/quarantine.ts';
import type { WorkerPool } from '../pools/worker-pool.ts';
import { abortSignal, callback } from '../shared/check-options.ts';
import { recordSchema } from '../shared/record-schema.ts';
import { toolsSchema } from './run-tools.ts';

const pool = z.union([
  z.enum(['process', 'thread']),
  z.custom<WorkerPool>(
    (value) => typeof value === 'object' && value !== null && 'submit' in value && 'kind' in value,
    { error: "must be 'process', 'thread' or a WorkerPool" },
  ),
]);

const DEFAULT_QUARANTINE: QuarantineOptions = { kills: 5, withinMs: 60_000, forMs: 60_000 };

const quarantine = z.strictObject({
  kills: z.int().min(1).default(DEFAULT_QUARANTINE.kills),
  withinMs: z.int().min(1).default(DEFAULT_QUARANTINE.withinMs),
  forMs: z.int().min(1).default(DEFAULT_QUARANTINE.forMs),
});

/** Schema of what `new Executor` takes. */
export const executorOptionsSchema = z.strictObject({
  pool: pool.default('process'),
  hosts: z.int().min(1).max(1024).optional(),
  slotsPerHost: z.int().min(1).max(64).default(1),
  spareHosts: z.int().min(0).max(64).default(1),
  minHosts: z.int().min(0).max(1024).optional(),
  idleMs: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .default(60_000),
  preparedIsolates: z.int().min(0).max(64).default(2),
  limits: limitsSchema.optional(),
  features: z.array(z.enum(OPTIONAL_GLOBALS)).default([]),
  maxQueue: z.int().min(0).default(100_000),
  queueMs: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .default(60_000),
  maxSessions: z.int().min(0).max(10_000).default(16),
  runsPerHost: z.int().min(1).default(10_000),
  quarantine: z.union([z.literal(false), quarantine]).default(DEFAULT_QUARANTINE),
  jit: z.boolean().default(true),
  spawn: callback<SpawnHost>().optional(),
});

/** Options of an executor. */
export interface ExecutorOptions {
  /**
   * `process` (default): expendable child processes, the boundary that holds against every guest.
   * `thread`: threads of this process, for code that one trusts. Or a pool made elsewhere.
   */
  readonly pool?: 'process' | 'thread' | WorkerPool | undefined;
  /** Host processes, or threads, that run code at the same time; as many as cores unless given. */
  readonly hosts?: number | undefined;
  /** Runs that share one host process; 1 by default, so that a kill touches no neighbour. */
  readonly slotsPerHost?: number | undefined;
  /** Further hosts that stand ready to replace one that was killed; 1 by default. */
  readonly spareHosts?: number | undefined;
  /** Host processes that stay when nothing has run for `idleMs`; all of them unless given. */
  readonly minHosts?: number | undefined;
  /** After how long without a run hosts are let go, in milliseconds; 60 000 by default. */
  readonly idleMs?: number | undefined;
  /** Fresh isolates that each slot keeps ready; 2 by default, about 1.5 MiB each. */
  readonly preparedIsolates?: number | undefined;
  /** Limits of every run, unless it brings its own. */
  readonly limits?: z.input<typeof limitsSchema> | undefined;
  /** Parts of the language that guests do without unless they are named here. */
  readonly features?: readonly (typeof OPTIONAL_GLOBALS)[number][] | undefined;
  /** Runs that may wait for a slot; 100 000 by default. Further ones get `QUEUE_FULL`. */
  readonly maxQueue?: number | undefined;
  /** How long a run may wait, in milliseconds; 60 000 by default. */
  readonly queueMs?: number | undefined;
  /** Sessions that may be open at once; 16 by default. Each has a host of its own. */
  readonly maxSessions?: number | undefined;
  /** After so many runs a host is replaced in good order; 10 000 by default. */
  readonly runsPerHost?: number | undefined;
  /** When code that kills hosts is kept out, and for how long; `false` for never. */
  readonly quarantine?: Partial<QuarantineOptions> | false | undefined;
  /**
   * `false` runs guests in V8's interpreter alone: no machine code is made of what they bring, and
   * their loops are several times slower. There is no WebAssembly then, and no TypeScript.
   */
  readonly jit?: boolean | undefined;
  /** Starts host processes in place of Node's `spawn`, to wrap them in a further box. */
  readonly spawn?: SpawnHost | undefined;
}

/** A time that a Date can hold, in milliseconds since 1970. */
const instant = z
  .union([z.number(), z.date().transform((date) => date.getTime())])
  .refine((time) => Math.abs(time) <= 8.64e15, 'must be a valid time');

/** Schema of what `run` takes. */
export const runOptionsSchema = z.strictObject({
  code: z.string(),
  variables: recordSchema<Readonly<Record<string, unknown>>>().optional(),
  tools: toolsSchema.optional(),
  limits: limitsSchema.optional(),
  language: z.enum(['auto', 'javascript', 'typescript']).default('auto'),
  filename: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'may hold letters, digits, ".", "_" and "-", at most 100')
    .default('guest.js'),
  deterministic: z.strictObject({ now: instant, seed: z.int32() }).optional(),
  signal: abortSignal.optional(),
  onLog: callback<(entry: never) => void>().optional(),
});

export const sessionOptionsSchema = z.strictObject({
  tools: toolsSchema.optional(),
  limits: limitsSchema.optional(),
});
