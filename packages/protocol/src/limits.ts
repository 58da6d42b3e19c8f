const KIB = 1024;
const MIB = 1024 * KIB;
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Who sees to a limit. `executor`: the caller's process, whose word decides. `pool`: whoever can kill
 * the host. `slot`: the thread that holds the isolate, as a second line. `guest`: the runtime inside
 * the isolate, so that nothing over the limit has to leave it; the executor looks again.
 */
export type LimitKeeper = 'executor' | 'pool' | 'slot' | 'guest';

/** One limit of a run. */
export interface LimitRow {
  readonly unit: 'ms' | 'MiB' | 'bytes' | 'calls';
  readonly min: number;
  readonly max: number;
  readonly default: number;
  /** What a worker on another machine allows at most whose owner says nothing. */
  readonly workerCap: number;
  readonly keptBy: readonly LimitKeeper[];
  /** What is counted. `docs/limits.md` is checked against this text. */
  readonly counts: string;
}

/**
 * The limits of a run: all schemas, defaults, caps, what a guest is told, and the table of the
 * documentation come from here. A new limit is a row here, and whoever keeps it.
 */
export const LIMITS = {
  /** Time from the slot's start on the run, in milliseconds. Waits for a person do not count. */
  wallMs: {
    unit: 'ms',
    min: 1,
    max: DAY_MS,
    default: 30_000,
    workerCap: HOUR_MS,
    keptBy: ['executor', 'pool', 'slot'],
    counts: 'Time from the start of the run; waits for a person do not count.',
  },
  /** CPU time of the isolate, in milliseconds; as much as `wallMs` unless given. */
  cpuMs: {
    unit: 'ms',
    min: 1,
    max: DAY_MS,
    default: 30_000,
    workerCap: HOUR_MS,
    keptBy: ['slot'],
    counts: 'CPU time of the isolate; as much as `wallMs` unless given.',
  },
  /** V8 heap of the isolate, in MiB. The host process has an outer cap above it. */
  memoryMb: {
    unit: 'MiB',
    min: 8,
    max: 16_384,
    default: 128,
    workerCap: 512,
    keptBy: ['slot', 'pool'],
    counts: 'V8 heap of the isolate; the host process has an outer cap above it.',
  },
  /** Source, in bytes of UTF-8. */
  sourceBytes: {
    unit: 'bytes',
    min: 0,
    max: 64 * MIB,
    default: 256 * KIB,
    workerCap: 4 * MIB,
    keptBy: ['executor'],
    counts: 'The source, as UTF-8.',
  },
  /** All variables together, in bytes of `safe:` text. */
  variablesBytes: {
    unit: 'bytes',
    min: 0,
    max: 256 * MIB,
    default: 16 * MIB,
    workerCap: 64 * MIB,
    keptBy: ['executor', 'guest'],
    counts: 'All variables together, as `safe:` text.',
  },
  /** The result, in bytes of `safe:` text. */
  resultBytes: {
    unit: 'bytes',
    min: 0,
    max: 256 * MIB,
    default: 4 * MIB,
    workerCap: 64 * MIB,
    keptBy: ['guest', 'executor'],
    counts: 'The result, as `safe:` text.',
  },
  /** Log text, plus 16 bytes a line; what is beyond is cut. */
  logBytes: {
    unit: 'bytes',
    min: 0,
    max: 64 * MIB,
    default: 64 * KIB,
    workerCap: 16 * MIB,
    keptBy: ['guest', 'executor'],
    counts: 'Log text, plus 16 bytes a line; what is beyond is cut, and the run goes on.',
  },
  /** Tool calls in all. */
  toolCalls: {
    unit: 'calls',
    min: 0,
    max: 1_000_000,
    default: 256,
    workerCap: 100_000,
    keptBy: ['guest', 'executor'],
    counts: 'Tool calls in all.',
  },
  /** Tool calls under way at once; further ones wait in the guest. */
  toolCallsInFlight: {
    unit: 'calls',
    min: 1,
    max: 10_000,
    default: 32,
    workerCap: 1000,
    keptBy: ['guest'],
    counts: 'Tool calls under way at once; further ones wait in the guest.',
  },
  /** The arguments of one tool call, in bytes of `safe:` text. */
  toolArgBytes: {
    unit: 'bytes',
    min: 0,
    max: 256 * MIB,
    default: MIB,
    workerCap: 16 * MIB,
    keptBy: ['guest', 'executor'],
    counts: 'The arguments of one tool call, as `safe:` text.',
  },
  /** The result of one tool call, in bytes of `safe:` text. */
  toolResultBytes: {
    unit: 'bytes',
    min: 0,
    max: 256 * MIB,
    default: 4 * MIB,
    workerCap: 64 * MIB,
    keptBy: ['executor', 'guest'],
    counts: 'The result of one tool call, as `safe:` text.',
  },
} as const satisfies Record<string, LimitRow>;

export type LimitName = keyof typeof LIMITS;

/** What one run may use. Each may be given for the executor, a session, or a run. */
export type Limits = { readonly [Name in keyof typeof LIMITS]: number };

/** Limits as they are given: those that are left out are as before. */
export type LimitsInput = { readonly [Name in keyof typeof LIMITS]?: number | undefined };

/** Their names, in the order of the table. */
export const LIMIT_NAMES: readonly LimitName[] = Object.keys(LIMITS) as LimitName[];

/** One number of each row. */
function column(of: (row: LimitRow) => number): Readonly<Limits> {
  const entries = LIMIT_NAMES.map((name): [LimitName, number] => [name, of(LIMITS[name])]);
  // Each row has given its number.
  return Object.freeze(Object.fromEntries(entries)) as unknown as Limits;
}

export const DEFAULT_LIMITS: Readonly<Limits> = column((row) => row.default);

/** What a worker's owner allows who says nothing; `wallMs` with waits for people included. */
export const WORKER_CAPS: Readonly<Limits> = column((row) => row.workerCap);

type KeptByGuest = {
  [Name in LimitName]: 'guest' extends (typeof LIMITS)[Name]['keptBy'][number] ? Name : never;
}[LimitName];

/** Limits that the guest runtime keeps itself, so that nothing over them has to leave the isolate. */
export type GuestLimits = Pick<Limits, KeptByGuest>;

const GUEST_LIMIT_NAMES = LIMIT_NAMES.filter((name) =>
  (LIMITS[name].keptBy as readonly LimitKeeper[]).includes('guest'),
);

/** Those of a run's limits that its guest is told. */
export function guestLimitsOf(limits: Limits): GuestLimits {
  const told: Partial<Record<LimitName, number>> = {};
  for (const name of GUEST_LIMIT_NAMES) told[name] = limits[name];
  // All that the guest keeps are there.
  return told as GuestLimits;
}

/** Limits with some of them replaced; CPU time follows the wall limit unless it is given. */
export function mergeLimits(base: Limits, over: LimitsInput | undefined): Limits {
  if (over === undefined) return base;
  const given = Object.fromEntries(
    Object.entries(over).filter(([, value]) => value !== undefined),
  ) as Partial<Limits>;
  const merged = { ...base, ...given };
  const follows = given.cpuMs === undefined && base.cpuMs === base.wallMs;
  return follows ? { ...merged, cpuMs: merged.wallMs } : merged;
}
