import type { Job } from '@glovebox/protocol/job';
import type { Limits } from '@glovebox/protocol/limits';
import type { SlotOutcome } from '@glovebox/protocol/slot-messages';

import type { PoolFailure } from '../../pools/worker-pool.ts';

const MIB = 1024 * 1024;

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
export function capJob(job: Job, caps: Limits): Job | PoolFailure {
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
