import type { Outcome } from '@glovebox/core';

import { valueOf } from './pools.ts';

/** How long after its wall limit a run may be answered: what the product promises. */
export const GRACE_MS = 250;
/** How often the event loop is looked at. */
const SAMPLE_MS = 5;

/** What kept the event loop of this thread from its next turn. */
export interface LoopReport {
  /** The longest stretch of the thread's own work, in milliseconds. */
  readonly workedMs: number;
  /** The longest time in milliseconds for which the rest of the machine had the processor. */
  readonly heldUpMs: number;
}

/**
 * Watches the event loop of this thread, until told to stop. A loop that comes late because the
 * machine is busy elsewhere is no fault of the thread: of a late turn, the processor time that the
 * thread itself used up in it counts as its work, and the rest as time that others took.
 *
 * @param look Is called once each turn, and its time does not count.
 */
export function watchLoop(look: () => void = () => undefined): () => LoopReport {
  let workedMs = 0;
  let heldUpMs = 0;
  let wall = performance.now();
  let cpu = process.threadCpuUsage();
  const timer = setInterval(() => {
    const used = process.threadCpuUsage(cpu);
    const usedMs = (used.user + used.system) / 1000;
    const late = performance.now() - wall - SAMPLE_MS;
    workedMs = Math.max(workedMs, Math.min(late, usedMs));
    heldUpMs = Math.max(heldUpMs, late - usedMs);
    look();
    cpu = process.threadCpuUsage();
    wall = performance.now();
  }, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    return { workedMs, heldUpMs };
  };
}

/**
 * The time in milliseconds within which an end must be told once it is due. Two timers of this
 * thread lead to it, the limit's own and that of the kill behind it, and both come as late as the
 * rest of the machine made this thread.
 */
export function graceMs({ heldUpMs }: LoopReport): number {
  return GRACE_MS + 2 * heldUpMs;
}

/** Does something, and tells how late an end may be told that came due meanwhile. */
export async function withGrace<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly graceMs: number; readonly tookMs: number }> {
  const stop = watchLoop();
  const startedAt = performance.now();
  try {
    const result = await work();
    const tookMs = performance.now() - startedAt;
    return { result, graceMs: graceMs(stop()), tookMs };
  } finally {
    stop();
  }
}

const CALIBRATION_RUNS = 3;
const AMPLE_RATIO = 15;
const AMPLE_FLOOR_MS = 1000;

/**
 * The time in milliseconds that work of one kind is far from on this machine at this moment: many
 * times what the longest of a few takes.
 */
export async function ampleTime(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  for (let count = 0; count <= CALIBRATION_RUNS; count++) {
    const startedAt = performance.now();
    await work();
    // The first one finds nothing that stands ready.
    if (count > 0) longest = Math.max(longest, performance.now() - startedAt);
  }
  return Math.ceil(AMPLE_RATIO * longest);
}

/** The same of runs, which must go well. */
export function ampleMs(run: () => Promise<Outcome>): Promise<number> {
  return ampleTime(async () => valueOf(await run()));
}

/** A wall limit that runs of one kind are far from, and that is short enough to be waited for. */
export async function ampleWallMs(
  run: () => Promise<Outcome>,
  floorMs = AMPLE_FLOOR_MS,
): Promise<number> {
  return Math.max(floorMs, await ampleMs(run));
}

const ROWS = JSON.stringify(Array.from({ length: 25_000 }, (_, n) => [{ n }, [[n, n]]]));
const READINGS = 5;

/**
 * The processor time in milliseconds that this thread needs at this moment for a fixed piece of
 * work, of the kind that reading a value of a guest is: the median of a few tries.
 */
export function readingMs(): number {
  const times = Array.from({ length: READINGS }, () => {
    const before = process.threadCpuUsage();
    const rows = JSON.parse(ROWS) as readonly [{ n: number }, [number, number][]][];
    const values = rows.map(([{ n }, entries]) => [new Date(n), new Map(entries)]);
    const { user, system } = process.threadCpuUsage(before);
    // Used, so that nothing of it is left out.
    return (user + system) / 1000 + (values.length === 0 ? 1 : 0);
  });
  return times.toSorted((a, b) => a - b)[Math.floor(READINGS / 2)] ?? 0;
}
