import type { WorkerPool } from './worker-pool.ts';

/**
 * A pool for runs, one for the runs that tools of those runs make, and so on. A run holds its slot
 * while its tools work: if the runs that they make had to wait for a slot of the same pool, all
 * could wait for each other. On its own level the deepest run always finds one.
 */
export class PoolLevels {
  readonly #pools: WorkerPool[];

  constructor(first: WorkerPool) {
    this.#pools = [first];
  }

  /** The pool for runs that so many runs wait for. Deeper ones are made when they are needed. */
  at(depth: number): WorkerPool {
    for (let last = this.#pools.length - 1; last < depth; last++) {
      const deeper = this.#pools[last]?.nested?.();
      // A pool of somebody else's that has no levels serves all of them.
      if (deeper === undefined) break;
      this.#pools.push(deeper);
    }
    // There is one at least.
    return this.#pools[Math.min(depth, this.#pools.length - 1)] as WorkerPool;
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.close()));
  }
}
