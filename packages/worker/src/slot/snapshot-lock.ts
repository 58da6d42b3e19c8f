/** Longer than any snapshot takes. A thread that died while it held the lock must not block others. */
const MAX_WAIT_MS = 2000;

/** Creates a lock (a mutex) in memory that the threads of a process can share. */
export function createSnapshotLock(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/**
 * Calls a function while this thread holds the lock. Blocks until no other thread holds it, or until
 * the maximum wait is over.
 */
export function withSnapshotLock<T>(lock: Int32Array, work: () => T): T {
  if (Atomics.compareExchange(lock, 0, 0, 1) !== 0) {
    const end = Date.now() + MAX_WAIT_MS;
    do Atomics.wait(lock, 0, 1, MAX_WAIT_MS);
    while (Atomics.compareExchange(lock, 0, 0, 1) !== 0 && Date.now() < end);
  }
  try {
    return work();
  } finally {
    Atomics.store(lock, 0, 0);
    Atomics.notify(lock, 0, 1);
  }
}
