import type { Quarantine } from '../../pools/quarantine.ts';
import type { PoolFailure } from '../../pools/worker-pool.ts';
import { NATS_PROTOCOL } from '../wire/nats-messages.ts';
import type { Assignment } from '../wire/nats-messages.ts';

/** How often a job may be delivered: it may have killed each worker that had it. */
const MAX_DELIVERIES = 5;

/**
 * Why a worker refuses a job; undefined if it may run.
 *
 * @param attempt How often the job has been delivered, this delivery included.
 */
export function refusalOf(
  { job, protocol }: Assignment,
  attempt: number,
  quarantine: Quarantine,
): PoolFailure | undefined {
  const quarantined = quarantine.find(job.code);
  if (protocol !== NATS_PROTOCOL) {
    return lost(`The worker uses protocol ${NATS_PROTOCOL}; the executor uses ${protocol}.`);
  }
  if (attempt > MAX_DELIVERIES) {
    return lost(`The run was lost ${MAX_DELIVERIES} times; its code may kill workers.`);
  }
  if (quarantined === undefined) return undefined;
  const message = `This code has killed ${quarantined.kills} hosts; it is blocked for a time.`;
  return { type: 'failure', code: 'QUARANTINED', message, ran: 'no' };
}

function lost(message: string): PoolFailure {
  return { type: 'failure', code: 'HOST_LOST', message, ran: 'maybe' };
}
