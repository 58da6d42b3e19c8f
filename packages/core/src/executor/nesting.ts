import { AsyncLocalStorage } from 'node:async_hooks';

/** Says that what runs now is a tool of a run, and how many runs of that executor wait for it. */
interface Level {
  readonly executor: object;
  readonly depth: number;
  readonly outer: Level | undefined;
}

const levels = new AsyncLocalStorage<Level>();

/** How many runs of an executor wait for what runs now: a tool of a run may run code in turn. */
export function depthIn(executor: object): number {
  for (let level = levels.getStore(); level !== undefined; level = level.outer) {
    if (level.executor === executor) return level.depth;
  }
  return 0;
}

/** Does something while so many runs of an executor wait for it. */
export function atDepth<Result>(executor: object, depth: number, work: () => Result): Result {
  return levels.run({ executor, depth, outer: levels.getStore() }, work);
}
