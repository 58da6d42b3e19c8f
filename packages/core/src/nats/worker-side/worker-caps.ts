import type { Job, SlotOutcome } from '@glovebox/worker';

import type { Limits } from '../../executor/run-limits.ts';
import type { PoolFailure } from '../../pools/worker-pool.ts';

const MIB = 1024 * 1024;

/** What a worker's owner allows at most, whatever executors ask for. */
export interface Caps extends Limits {
  /** How long a run may hold its slot, in milliseconds, waits for people included. */
  readonly wallMs: number;
}

/** What an owner allows who says nothing. */
export const DEFAULT_CAPS: Readonly<Caps> = Object.freeze({
  wallMs: 60 * 60 * 1000,
  cpuMs: 60 * 60 * 1000,
  memoryMb: 512,
  sourceBytes: 4 * MIB,
  variablesBytes: 64 * MIB,
  resultBytes: 64 * MIB,
  logBytes: 16 * MIB,
  toolCalls: 100_000,
  toolCallsInFlight: 1000,
  toolArgBytes: 16 * MIB,
  toolResultBytes: 64 * MIB,
});

function checkSize(
  code: 'SOURCE_LIMIT' | 'VARIABLES_LIMIT',
  text: string,
  limit: number,
): PoolFailure | undefined {
  const used = Buffer.byteLength(text);
  if (used <= limit) return undefined;
  const message = `The worker takes ${limit} bytes; there are ${used}.`;
  return { type: 'failure', code, message, ran: 'no', limit, used };
}

/** A refusal, or a job with limits that are no higher than the owner's. */
export function capJob(job: Job, caps: Caps): Job | PoolFailure {
  const refusal =
    checkSize('SOURCE_LIMIT', job.code, caps.sourceBytes) ??
    checkSize('VARIABLES_LIMIT', job.variables, caps.variablesBytes);
  if (refusal !== undefined) return refusal;
  const limits: Record<string, number> = { ...job.limits };
  for (const name in limits) {
    // Both have the same names.
    limits[name] = Math.min(limits[name] as number, caps[name as keyof Limits]);
  }
  // A copy of limits, with each number replaced by a number.
  return { ...job, limits: limits as unknown as Job['limits'] };
}

/** A run that ended at a limit of the owner's: its executor knows only of its own limits. */
export function explainCap(
  { end, cpuMs }: SlotOutcome,
  asked: Job['limits'],
  { limits }: Job,
): PoolFailure | undefined {
  const base = { type: 'failure', ran: 'yes' } as const;
  if (end === 'memory' && limits.memoryMb < asked.memoryMb) {
    const message = `The worker allows runs ${limits.memoryMb} MiB of memory.`;
    return { ...base, code: 'MEMORY_LIMIT', message, limit: limits.memoryMb * MIB };
  }
  if (end === 'cpu' && limits.cpuMs < asked.cpuMs) {
    const message = `The worker allows runs ${limits.cpuMs} ms of CPU time.`;
    const used = Math.ceil(cpuMs);
    return { ...base, code: 'CPU_LIMIT', message, limit: limits.cpuMs, used };
  }
  return end === 'stopped' && limits.wallMs < asked.wallMs ? wallCap(limits.wallMs) : undefined;
}

/** The time that the owner allows is up. */
export function wallCap(limit: number): PoolFailure {
  const message = `The worker allows runs ${limit} ms, waits for people included.`;
  return { type: 'failure', code: 'WALL_LIMIT', message, ran: 'yes', limit };
}
