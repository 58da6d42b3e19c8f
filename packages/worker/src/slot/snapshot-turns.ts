/** Long enough for any honest turn; a thread that died in its turn must not hold up the others. */
const MAX_WAIT_MS = 2000;

/** Memory by which the threads of a process take turns. */
export function createTurns(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** Does something while no other thread does it. Blocks until it is this thread's turn. */
export function takeTurn<T>(turns: Int32Array, work: () => T): T {
  if (Atomics.compareExchange(turns, 0, 0, 1) !== 0) {
    const end = Date.now() + MAX_WAIT_MS;
    do Atomics.wait(turns, 0, 1, MAX_WAIT_MS);
    while (Atomics.compareExchange(turns, 0, 0, 1) !== 0 && Date.now() < end);
  }
  try {
    return work();
  } finally {
    Atomics.store(turns, 0, 0);
    Atomics.notify(turns, 0, 1);
  }
}
