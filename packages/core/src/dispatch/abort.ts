/** The result of a wait that the signal has ended. */
export const ABORTED: unique symbol = Symbol('aborted');

/**
 * Waits for a promise or for the signal, whichever comes first. After the signal, the result of the
 * promise is ignored, even if it rejects.
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
