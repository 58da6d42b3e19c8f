import { z } from 'zod';

const MIB = 1024 * 1024;
const bytes = (most: number): z.ZodNumber => z.int().min(0).max(most);
const DAY_MS = 24 * 60 * 60 * 1000;

/** Schema of the limits of one run. */
export const limitsSchema = z.strictObject({
  wallMs: z.int().min(1).max(DAY_MS).optional(),
  cpuMs: z.int().min(1).max(DAY_MS).optional(),
  memoryMb: z.int().min(8).max(16_384, 'memoryMb is in MiB, from 8 to 16384').optional(),
  sourceBytes: bytes(64 * MIB).optional(),
  variablesBytes: bytes(256 * MIB).optional(),
  resultBytes: bytes(256 * MIB).optional(),
  logBytes: bytes(64 * MIB).optional(),
  toolCalls: z.int().min(0).max(1_000_000).optional(),
  toolCallsInFlight: z.int().min(1).max(10_000).optional(),
  toolArgBytes: bytes(256 * MIB).optional(),
  toolResultBytes: bytes(256 * MIB).optional(),
});

/** What one run may use. Each may be given for the executor, a session, or a run. */
export interface Limits {
  /** Time from the slot's start on the run, in milliseconds. Waits for approval do not count. */
  readonly wallMs: number;
  /** CPU time of the isolate, in milliseconds; as much as `wallMs` unless given. */
  readonly cpuMs: number;
  /** V8 heap of the isolate, in MiB. The host process has an outer cap above it. */
  readonly memoryMb: number;
  /** Source, in bytes of UTF-8. */
  readonly sourceBytes: number;
  /** All variables together, in bytes of `safe:` text. */
  readonly variablesBytes: number;
  /** The result, in bytes of `safe:` text. */
  readonly resultBytes: number;
  /** Log text, plus 16 bytes a line; what is beyond is cut. */
  readonly logBytes: number;
  /** Tool calls in all. */
  readonly toolCalls: number;
  /** Tool calls under way at once; further ones wait in the guest. */
  readonly toolCallsInFlight: number;
  /** The arguments of one tool call, in bytes of `safe:` text. */
  readonly toolArgBytes: number;
  /** The result of one tool call, in bytes of `safe:` text. */
  readonly toolResultBytes: number;
}

export const DEFAULT_LIMITS: Readonly<Limits> = Object.freeze({
  wallMs: 30_000,
  cpuMs: 30_000,
  memoryMb: 128,
  sourceBytes: 256 * 1024,
  variablesBytes: 16 * MIB,
  resultBytes: 4 * MIB,
  logBytes: 64 * 1024,
  toolCalls: 256,
  toolCallsInFlight: 32,
  toolArgBytes: MIB,
  toolResultBytes: 4 * MIB,
});

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

export type LimitsInput = z.infer<typeof limitsSchema>;
