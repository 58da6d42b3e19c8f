import type { JobHandle, JobObserver, PoolFailure } from './worker-pool.ts';

/** Refuses a job before it runs. Reports it in a microtask: the caller has no handle yet. */
export function refuseJob(
  observer: JobObserver,
  code: PoolFailure['code'],
  message: string,
): JobHandle {
  queueMicrotask(() => observer.onEnd({ type: 'failure', code, message, ran: 'no' }));
  return { reply: () => undefined, stop: () => undefined, kill: () => undefined };
}
