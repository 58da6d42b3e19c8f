import { setTimeout as delay } from 'node:timers/promises';

const RETRY_MS = 500;

/** A server does not respond, for a reason that may pass. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/**
 * Repeats an attempt for as long as it fails with an {@link UnreachableError}.
 *
 * @param onWait Called with the reason of a failure, if it differs from the reason before it.
 */
export async function retryUntilReachable<T>(
  attempt: () => Promise<T>,
  onWait: (why: string) => void,
): Promise<T> {
  let lastReason: string | undefined;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      const why = error.message;
      if (why !== lastReason) onWait(why);
      lastReason = why;
      await delay(RETRY_MS);
    }
  }
}
