import type { WorkerPool } from './worker-pool.ts';

/**
 * One pool for each level of nested runs: level 0 for the runs of the application, level 1 for the
 * runs that their tools start, and so on. This prevents a deadlock: a run keeps its slot while its
 * tools work, so runs that share a pool with the runs they start could all wait for each other.
 */
export class PoolLevels {
  readonly #pools: WorkerPool[];

  constructor(first: WorkerPool) {
    this.#pools = [first];
  }

  /** The pool of a level. Pools of deeper levels are created when they are first needed. */
  at(depth: number): WorkerPool {
    for (let last = this.#pools.length - 1; last < depth; last++) {
      const deeper = this.#pools[last]?.nested?.();
      // A custom pool without `nested` serves all levels.
      if (deeper === undefined) break;
      this.#pools.push(deeper);
    }
    // The cast is safe: there is at least one pool.
    return this.#pools[Math.min(depth, this.#pools.length - 1)] as WorkerPool;
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.close()));
  }
}
