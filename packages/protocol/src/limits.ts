const KIB = 1024;
const MIB = 1024 * KIB;
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Who enforces a limit. `executor`: the caller's process, which has the final decision. `pool`: the
 * pool, which can kill the host. `slot`: the thread that holds the isolate, as a second line of
 * defence. `guest`: the runtime inside the isolate, so that data over the limit does not leave the
 * isolate; because guests are not trusted, the executor checks again.
 */
export type LimitEnforcer = 'executor' | 'pool' | 'slot' | 'guest';

/** One limit of a run. */
export interface LimitRow {
  readonly unit: 'ms' | 'MiB' | 'bytes' | 'calls';
  readonly min: number;
  readonly max: number;
  readonly default: number;
  /** The most that a worker on another machine allows by default. */
  readonly workerCap: number;
  readonly enforcedBy: readonly LimitEnforcer[];
  /** What the limit counts. A test compares `docs/limits.md` with this text. */
  readonly counts: string;
}

/**
 * The limits of a run. The schemas, the defaults, the caps of workers, the limits that a guest gets
 * and the table in the documentation all derive from this table. To add a limit, add a row here and
 * the code that enforces it.
 */
export const LIMITS = {
  /**
   * Time since the slot started the run, in milliseconds. Time spent waiting for a person's approval
   * does not count.
   */
  wallMs: {
    unit: 'ms',
    min: 1,
    max: DAY_MS,
    default: 30_000,
    workerCap: HOUR_MS,
    enforcedBy: ['executor', 'pool', 'slot'],
    counts: 'Time since the start of the run; waiting for approvals does not count.',
  },
  /** CPU time of the isolate, in milliseconds; equal to `wallMs` by default. */
  cpuMs: {
    unit: 'ms',
    min: 1,
    max: DAY_MS,
    default: 30_000,
    workerCap: HOUR_MS,
    enforcedBy: ['slot'],
    counts: 'CPU time of the isolate; equal to `wallMs` by default.',
  },
  /** V8 heap of the isolate, in MiB. The host process has an outer cap above it. */
  memoryMb: {
    unit: 'MiB',
    min: 8,
    max: 16_384,
    default: 128,
    workerCap: 512,
    enforcedBy: ['slot', 'pool'],
    counts: 'V8 heap of the isolate; the host process has an outer cap above it.',
  },
  /** The source, in bytes of UTF-8. */
  sourceBytes: {
    unit: 'bytes',
    min: 0,
    max: 64 * MIB,
    default: 256 * KIB,
    workerCap: 4 * MIB,
    enforcedBy: ['executor'],
    counts: 'The source, as UTF-8.',
  },
  /** All variables together, in bytes of `safe:` text. */
  variablesBytes: {
    unit: 'bytes',
    min: 0,
    max: 256 * MIB,
    default: 16 * MIB,
    workerCap: 64 * MIB,
    enforcedBy: ['executor', 'guest'],
    counts: 'All variables together, as `safe:` text.',
  },
  /** The result, in bytes of `safe:` text. */
  resultBytes: {
    unit: 'bytes',
    min: 0,
    max: 256 * MIB,
    default: 4 * MIB,
    workerCap: 64 * MIB,
    enforcedBy: ['guest', 'executor'],
    counts: 'The result, as `safe:` text.',
  },
  /** Log text, plus 16 bytes per line. Text over the limit is cut, and the run continues. */
  logBytes: {
    unit: 'bytes',
    min: 0,
    max: 64 * MIB,
    default: 64 * KIB,
    workerCap: 16 * MIB,
    enforcedBy: ['guest', 'executor'],
    counts: 'Log text, plus 16 bytes per line; the rest is cut, and the run continues.',
  },
  /** Total number of tool calls. */
  toolCalls: {
    unit: 'calls',
    min: 0,
    max: 1_000_000,
    default: 256,
    workerCap: 100_000,
    enforcedBy: ['guest', 'executor'],
    counts: 'Total number of tool calls.',
  },
  /** Tool calls in flight at the same time. Further calls wait in the guest. */
  toolCallsInFlight: {
    unit: 'calls',
    min: 1,
    max: 10_000,
    default: 32,
    workerCap: 1000,
    enforcedBy: ['guest'],
    counts: 'Tool calls in flight at the same time; further calls wait in the guest.',
  },
  /** The arguments of one tool call, in bytes of `safe:` text. */
  toolArgBytes: {
    unit: 'bytes',
    min: 0,
    max: 256 * MIB,
    default: MIB,
    workerCap: 16 * MIB,
    enforcedBy: ['guest', 'executor'],
    counts: 'The arguments of one tool call, as `safe:` text.',
  },
  /** The result of one tool call, in bytes of `safe:` text. */
  toolResultBytes: {
    unit: 'bytes',
    min: 0,
    max: 256 * MIB,
    default: 4 * MIB,
    workerCap: 64 * MIB,
    enforcedBy: ['executor', 'guest'],
    counts: 'The result of one tool call, as `safe:` text.',
  },
} as const satisfies Record<string, LimitRow>;

export type LimitName = keyof typeof LIMITS;

/** The limits of one run. Each can be set for the executor, a session, or a run. */
export type Limits = { readonly [Name in keyof typeof LIMITS]: number };

/** Limits as options: one that is left out keeps the value of the executor or session. */
export type LimitsInput = { readonly [Name in keyof typeof LIMITS]?: number | undefined };

/** The names of all limits, in the order of the table. */
export const LIMIT_NAMES: readonly LimitName[] = Object.keys(LIMITS) as LimitName[];

/** Selects one number from each row of the table. */
function column(select: (row: LimitRow) => number): Readonly<Limits> {
  const entries = LIMIT_NAMES.map((name): [LimitName, number] => [name, select(LIMITS[name])]);
  // The cast is safe: there is an entry for each name.
  return Object.freeze(Object.fromEntries(entries)) as unknown as Limits;
}

export const DEFAULT_LIMITS: Readonly<Limits> = column((row) => row.default);

/** The most that a worker allows by default. Here `wallMs` includes time spent on approvals. */
export const WORKER_CAPS: Readonly<Limits> = column((row) => row.workerCap);

type EnforcedByGuest = {
  [Name in LimitName]: 'guest' extends (typeof LIMITS)[Name]['enforcedBy'][number] ? Name : never;
}[LimitName];

/** The limits that the guest runtime enforces, so that data over them does not leave the isolate. */
export type GuestLimits = Pick<Limits, EnforcedByGuest>;

const GUEST_LIMIT_NAMES = LIMIT_NAMES.filter((name) =>
  (LIMITS[name].enforcedBy as readonly LimitEnforcer[]).includes('guest'),
);

/** Selects the limits that the guest runtime enforces. */
export function guestLimitsOf(limits: Limits): GuestLimits {
  const selected: Partial<Record<LimitName, number>> = {};
  for (const name of GUEST_LIMIT_NAMES) selected[name] = limits[name];
  // The cast is safe: the loop has set every one of them.
  return selected as GuestLimits;
}

/**
 * Replaces some limits. If `cpuMs` equals `wallMs` in `base` and `over` does not set it, it follows
 * the new `wallMs`.
 */
export function mergeLimits(base: Limits, over: LimitsInput | undefined): Limits {
  if (over === undefined) return base;
  const given = Object.fromEntries(
    Object.entries(over).filter(([, value]) => value !== undefined),
  ) as Partial<Limits>;
  const merged = { ...base, ...given };
  const cpuFollowsWall = given.cpuMs === undefined && base.cpuMs === base.wallMs;
  return cpuFollowsWall ? { ...merged, cpuMs: merged.wallMs } : merged;
}
