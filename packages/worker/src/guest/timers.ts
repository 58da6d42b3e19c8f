import {
  DateNow,
  MapClear,
  MapConstructor,
  MapDelete,
  MapForEach,
  MapSet,
  MathCeil,
  MathMax,
  NumberConstructor,
  RangeErrorConstructor,
  ReflectApply,
  TypeErrorConstructor,
} from './intrinsics.ts';

interface Timer {
  readonly id: number;
  due: number;
  readonly every: number | undefined;
  readonly callback: (...args: unknown[]) => unknown;
  readonly args: unknown[];
}

/** The most wake-ups that one guest may request; each is a message that the thread must buffer. */
const MAX_WAKES = 50_000;

export interface Timers {
  readonly setTimeout: (callback: unknown, delay?: unknown, ...args: unknown[]) => number;
  readonly setInterval: (callback: unknown, delay?: unknown, ...args: unknown[]) => number;
  readonly clear: (id?: unknown) => void;
  /** Calls the callback of every timer that is due. */
  tick(): void;
  /** Removes all timers. */
  reset(): void;
}

/**
 * Timers for guest code. The thread provides one wake-up, which is always requested for the timer
 * that is due first.
 *
 * @param wake Requests one `tick` after a delay. It replaces the previous request.
 * @param report Reports an exception that a callback threw.
 */
export function createTimers(
  wake: (delayMs: number) => void,
  report: (error: unknown) => void,
): Timers {
  const timers = new MapConstructor<number, Timer>();
  let lastId = 0;
  let wakes = 0;
  let armedFor = Infinity;

  function arm(due: number): void {
    if (due >= armedFor) return;
    if (++wakes > MAX_WAKES) {
      throw new RangeErrorConstructor(`More than ${MAX_WAKES} timer wake-ups in one guest.`);
    }
    armedFor = due;
    wake(MathMax(0, MathCeil(due - DateNow())));
  }

  function add(callback: unknown, delay: unknown, args: unknown[], repeat: boolean): number {
    if (typeof callback !== 'function') {
      throw new TypeErrorConstructor('The timer callback must be a function.');
    }
    const requested = NumberConstructor(delay ?? 0);
    const wait = requested >= 1 && requested < 2 ** 31 ? requested : 1;
    const timer: Timer = {
      id: ++lastId,
      due: DateNow() + wait,
      every: repeat ? wait : undefined,
      callback: callback as Timer['callback'],
      args,
    };
    arm(timer.due);
    MapSet(timers, timer.id, timer);
    return timer.id;
  }

  /** The timer that is due first; of several with the same time, the oldest. */
  function earliest(): Timer | undefined {
    let first: Timer | undefined;
    MapForEach(timers, (timer: Timer) => {
      if (first === undefined || timer.due < first.due) first = timer;
    });
    return first;
  }

  function rearm(): void {
    armedFor = Infinity;
    const next = earliest();
    if (next !== undefined) arm(next.due);
  }

  return {
    setTimeout: (callback, delay, ...args) => add(callback, delay, args, false),
    setInterval: (callback, delay, ...args) => add(callback, delay, args, true),
    clear: (id) => {
      if (typeof id === 'number') MapDelete(timers, id);
    },
    tick: () => {
      const now = DateNow();
      // Timers that a callback adds wait for the next tick, so that this loop always ends.
      const newest = lastId;
      for (;;) {
        const timer = earliest();
        if (timer === undefined || timer.due > now || timer.id > newest) break;
        if (timer.every === undefined) MapDelete(timers, timer.id);
        else timer.due = now + timer.every;
        try {
          ReflectApply(timer.callback, undefined, timer.args);
        } catch (error) {
          report(error);
        }
      }
      rearm();
    },
    reset: () => {
      MapClear(timers);
      armedFor = Infinity;
    },
  };
}
