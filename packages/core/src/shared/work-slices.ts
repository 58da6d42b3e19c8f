/**
 * Work of one turn of the event loop, in milliseconds. Between two turns, timers fire and messages
 * come in: nobody waits longer than one turn for what is worked on here.
 */
const SLICE_MS = 8;

/** The work took more time than it may. */
export class WorkLimitError extends Error {
  override readonly name = 'WorkLimitError';
  /** CPU time of this thread, in milliseconds. */
  readonly limit: number;
  readonly used: number;

  constructor(limit: number, used: number) {
    super(`The work takes more than ${limit} ms of CPU time.`);
    this.limit = limit;
    this.used = used;
  }
}

interface Work {
  readonly steps: Generator<undefined, unknown>;
  readonly limitMs: number;
  readonly done: PromiseWithResolvers<unknown>;
  usedMs: number;
}

/** All work of this process, in turns. */
const queue: Work[] = [];
let isScheduled = false;

/** Work that goes on between other work. */
export interface WorkInSlices<Value> {
  /** Rejects with what a step throws, or with a {@link WorkLimitError}. Never settles once cancelled. */
  readonly done: Promise<Value>;
  cancel(): void;
}

/**
 * Does work in slices of a few milliseconds, so that the event loop goes on. All such work of the
 * process takes turns.
 *
 * @param steps Yields after each step, which should take about a millisecond.
 * @param limitMs CPU time of this thread that the work may take, in milliseconds.
 */
export function workInSlices<Value>(
  steps: Generator<undefined, Value>,
  limitMs: number,
): WorkInSlices<Value> {
  const done = Promise.withResolvers<Value>();
  // What the queue resolves it with is what the steps have given.
  const work: Work = { steps, limitMs, done: done as PromiseWithResolvers<unknown>, usedMs: 0 };
  queue.push(work);
  schedule();
  return {
    done: done.promise,
    cancel() {
      const at = queue.indexOf(work);
      if (at >= 0) queue.splice(at, 1);
    },
  };
}

function schedule(): void {
  if (isScheduled || queue.length === 0) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    const work = queue.shift();
    if (work !== undefined && !workOneSlice(work)) queue.push(work);
    schedule();
  });
}

/** Whether the work is done, one way or the other. */
function workOneSlice(work: Work): boolean {
  const before = cpuMs();
  const end = performance.now() + SLICE_MS;
  try {
    do {
      const step = work.steps.next();
      if (step.done === true) {
        work.done.resolve(step.value);
        return true;
      }
    } while (performance.now() < end);
  } catch (error) {
    work.done.reject(error);
    return true;
  }
  work.usedMs += cpuMs() - before;
  if (work.usedMs <= work.limitMs) return false;
  work.done.reject(new WorkLimitError(work.limitMs, Math.round(work.usedMs)));
  return true;
}

/** CPU time of this thread: another process that has the core does not count against the work. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
