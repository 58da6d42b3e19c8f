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

/** Schema of the options of `new Executor`. */
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
   * `process` (default): expendable child processes, the boundary that stops every guest.
   * `thread`: threads of this process, for trusted code. Or a pool that was created before.
   */
  readonly pool?: 'process' | 'thread' | WorkerPool | undefined;
  /** Number of host processes, or threads, that run code; by default that of available cores. */
  readonly hosts?: number | undefined;
  /** Runs that share one host process; 1 by default, so that killing a host ends only one run. */
  readonly slotsPerHost?: number | undefined;
  /** Number of additional hosts that are ready to replace one that was killed; 1 by default. */
  readonly spareHosts?: number | undefined;
  /** Number of host processes to keep when nothing has run for `idleMs`; by default all. */
  readonly minHosts?: number | undefined;
  /** Time without a run after which idle hosts end, in milliseconds; 60 000 by default. */
  readonly idleMs?: number | undefined;
  /** Fresh isolates that each slot prepares in advance; 2 by default, about 1.5 MiB each. */
  readonly preparedIsolates?: number | undefined;
  /** Default limits of every run. A run or session can override each of them. */
  readonly limits?: z.input<typeof limitsSchema> | undefined;
  /** Optional globals that guests get. By default they have none of them. */
  readonly features?: readonly (typeof OPTIONAL_GLOBALS)[number][] | undefined;
  /** The most runs that may wait for a slot; 100 000 by default. Further runs get `QUEUE_FULL`. */
  readonly maxQueue?: number | undefined;
  /** The longest time that a run may wait for a slot, in milliseconds; 60 000 by default. */
  readonly queueMs?: number | undefined;
  /** The most sessions that may be open at the same time; 16 by default. Each has its own host. */
  readonly maxSessions?: number | undefined;
  /** After this number of runs a host is replaced; 10 000 by default. */
  readonly runsPerHost?: number | undefined;
  /** When code that kills hosts is quarantined, and for how long; `false` for never. */
  readonly quarantine?: Partial<QuarantineOptions> | false | undefined;
  /**
   * `false` runs guests in V8's interpreter, without the JIT compiler: V8 generates no machine code
   * from guest code, and loops are several times slower. WebAssembly and TypeScript are then not
   * available. `true` by default.
   */
  readonly jit?: boolean | undefined;
  /** Replaces Node's `spawn` to start host processes, for example in another sandbox. */
  readonly spawn?: SpawnHost | undefined;
}

/** A time in the range of a Date, in milliseconds since 1970. */
const instant = z
  .union([z.number(), z.date().transform((date) => date.getTime())])
  .refine((time) => Math.abs(time) <= 8.64e15, 'must be a valid time');

/** Schema of the options of `run`. */
export const runOptionsSchema = z.strictObject({
  code: z.string(),
  variables: recordSchema<Readonly<Record<string, unknown>>>().optional(),
  tools: toolsSchema.optional(),
  limits: limitsSchema.optional(),
  language: z.enum(['auto', 'javascript', 'typescript']).default('auto'),
  filename: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'must be 1 to 100 letters, digits, ".", "_" or "-"')
    .default('guest.js'),
  deterministic: z.strictObject({ now: instant, seed: z.int32() }).optional(),
  signal: abortSignal.optional(),
  onLog: callback<(entry: never) => void>().optional(),
});

export const sessionOptionsSchema = z.strictObject({
  tools: toolsSchema.optional(),
  limits: limitsSchema.optional(),
});
