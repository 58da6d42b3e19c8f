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
  const message = `The worker accepts ${limit} bytes; the run has ${used}.`;
  return { type: 'failure', code, message, ran: 'no', limit, used };
}

/** Lowers the limits of a job to those of the worker. Returns a failure if the job is too large. */
export function capJob(job: Job, caps: Limits): Job | PoolFailure {
  const refusal =
    checkSize('SOURCE_LIMIT', job.code, caps.sourceBytes) ??
    checkSize('VARIABLES_LIMIT', job.variables, caps.variablesBytes);
  if (refusal !== undefined) return refusal;
  const limits: Record<string, number> = { ...job.limits };
  for (const name in limits) {
    // Both objects have the same names.
    limits[name] = Math.min(limits[name] as number, caps[name as keyof Limits]);
  }
  // Still the same names, each with a number.
  return { ...job, limits: limits as unknown as Job['limits'] };
}

/**
 * The failure of a run that ended at a limit of the worker; undefined for any other end. The executor
 * cannot explain it: it knows only the limits that it requested.
 */
export function explainCap(
  { end, cpuMs }: SlotOutcome,
  requested: Job['limits'],
  { limits }: Job,
): PoolFailure | undefined {
  const base = { type: 'failure', ran: 'yes' } as const;
  if (end === 'memory' && limits.memoryMb < requested.memoryMb) {
    const message = `The worker allows a run ${limits.memoryMb} MiB of memory.`;
    return { ...base, code: 'MEMORY_LIMIT', message, limit: limits.memoryMb * MIB };
  }
  if (end === 'cpu' && limits.cpuMs < requested.cpuMs) {
    const message = `The worker allows a run ${limits.cpuMs} ms of CPU time.`;
    const used = Math.ceil(cpuMs);
    return { ...base, code: 'CPU_LIMIT', message, limit: limits.cpuMs, used };
  }
  return end === 'stopped' && limits.wallMs < requested.wallMs
    ? wallCapFailure(limits.wallMs)
    : undefined;
}

/** The failure of a run that exceeds the wall time of the worker. */
export function wallCapFailure(limit: number): PoolFailure {
  const message = `The worker allows a run ${limit} ms, including waits for people.`;
  return { type: 'failure', code: 'WALL_LIMIT', message, ran: 'yes', limit };
}
