/** How long each contender runs before it is measured. */
const WARM_UP_MS = 2000;

/**
 * Makes a contender warm, as a service is: what is made once is made, and the engine has compiled
 * what runs often.
 */
export async function warmUp(run: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  do await run();
  while (performance.now() - started < WARM_UP_MS);
}
