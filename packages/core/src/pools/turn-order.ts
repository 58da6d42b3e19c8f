/** After that time a slot has taken its last isolate apart, and has the next ones ready. */
const RESTED_MS = 4;

/** Something that runs jobs. */
export interface TurnTaker {
  /** Milliseconds since its last run ended: 0 while it has one, `Infinity` before the first. */
  readonly idleMs: number;
}

/**
 * Who runs the next job. They take turns, so that each has time to make isolates ready between its
 * runs; but one that has had that time runs again, since what it needs is still in the caches of the
 * processor: that is a quarter of the time of a short run.
 */
export class Turns<T extends TurnTaker> {
  #last: T | undefined;

  /** @param takes Whether one of them can have the job. */
  choose(all: readonly T[], takes: (one: T) => boolean): T | undefined {
    const last = this.#last;
    const at = last === undefined ? -1 : all.indexOf(last);
    if (last !== undefined && at >= 0 && last.idleMs >= RESTED_MS && takes(last)) return last;
    for (let step = 1; step <= all.length; step++) {
      const next = all[(at + step) % all.length];
      if (next !== undefined && takes(next)) return (this.#last = next);
    }
    return undefined;
  }
}
