import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The threads of a process that run or wait for a processor, and the time that all have used. */
function activity(pid: number): { running: number; ticks: number } {
  let running = 0;
  let ticks = 0;
  let threads: string[] = [];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    // It is gone.
  }
  for (const thread of threads) {
    // The caller's own thread is the one that asks.
    if (Number(thread) === process.pid) continue;
    try {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (fields[0] === 'R') running++;
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // The thread ended meanwhile.
    }
  }
  return { running, ticks };
}

/** Between two looks at a process; in all of them it must stand still. */
const LOOK_MS = 10;
const LOOKS = 3;
/** One tick of the processor time in `/proc`. */
const TICK_MS = 10;
/** A machine that gives a process less processor time than that in so long is of no use. */
const GIVE_UP_MS = 20_000;

/**
 * Waits until none of the processes burns processor time: no thread of them runs or could run, for
 * several looks in a row. Waiting for a busy machine does not count as standing still, and what a
 * process may still do is counted in its own processor time: that is the same on a busy machine.
 *
 * @param allowedMs Processor time that each may use before it comes to rest.
 * @returns The processes that did not come to rest.
 */
export async function burning(pids: readonly number[], allowedMs: number): Promise<number[]> {
  const end = performance.now() + GIVE_UP_MS;
  const first = new Map(pids.map((pid) => [pid, activity(pid).ticks]));
  let before = first;
  let still = 0;
  while (still < LOOKS) {
    await delay(LOOK_MS);
    const now = new Map(pids.map((pid) => [pid, activity(pid)]));
    const ticksOf = (pid: number): number => now.get(pid)?.ticks ?? 0;
    const busy = pids.filter(
      (pid) => (now.get(pid)?.running ?? 0) > 0 || ticksOf(pid) > (before.get(pid) ?? 0) + 1,
    );
    before = new Map(pids.map((pid) => [pid, ticksOf(pid)]));
    still = busy.length === 0 ? still + 1 : 0;
    const over = busy.filter((pid) => (ticksOf(pid) - (first.get(pid) ?? 0)) * TICK_MS > allowedMs);
    if (over.length > 0) return over;
    if (performance.now() > end && busy.length > 0) return busy;
  }
  return [];
}
