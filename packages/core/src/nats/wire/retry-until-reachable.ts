import { setTimeout as delay } from 'node:timers/promises';

const WAIT_MS = 500;

/** Nobody answers, for a reason that may pass. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/**
 * Does what needs somebody who may come later.
 *
 * @param onWait Told each new reason why nobody is there.
 */
export async function patiently<T>(
  attempt: () => Promise<T>,
  onWait: (why: string) => void,
): Promise<T> {
  let told: string | undefined;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      const why = error.message;
      if (why !== told) onWait(why);
      told = why;
      await delay(WAIT_MS);
    }
  }
}
