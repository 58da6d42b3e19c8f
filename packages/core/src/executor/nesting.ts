import { AsyncLocalStorage } from 'node:async_hooks';

/** The async context of a tool that a run calls. */
interface Level {
  readonly executor: object;
  /** How many runs of that executor wait for the tool. */
  readonly depth: number;
  readonly outer: Level | undefined;
}

const levels = new AsyncLocalStorage<Level>();

/**
 * How many runs of an executor wait for the current code. It is more than 0 in a tool of a run,
 * which may itself call `executor.run`.
 */
export function depthIn(executor: object): number {
  for (let level = levels.getStore(); level !== undefined; level = level.outer) {
    if (level.executor === executor) return level.depth;
  }
  return 0;
}

/** Calls a function in an async context in which {@link depthIn} returns `depth`. */
export function atDepth<Result>(executor: object, depth: number, work: () => Result): Result {
  return levels.run({ executor, depth, outer: levels.getStore() }, work);
}
