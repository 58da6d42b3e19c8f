/** What a wait ends with when the signal came first. */
export const ABORTED: unique symbol = Symbol('aborted');

/**
 * Waits for a promise, or for the signal, whichever comes first. A promise that is left behind may
 * reject: nobody hears of it.
 */
export function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | typeof ABORTED> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(ABORTED);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) resolve(ABORTED);
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
