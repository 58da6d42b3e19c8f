import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { childrenOf } from '../../support/processes.ts';

/** How often the caller's event loop and the memory of hosts are looked at. */
const SAMPLE_MS = 5;
const MEMORY_EVERY = 3;
const PAGE_BYTES = 4096;

/** How long the caller's event loop may be held. */
export const MAX_STALL_MS = 50;

export interface Watched {
  /** Longest time for which the caller's thread worked without a turn of its event loop. */
  readonly stallMs: number;
  /** Most resident bytes of any one host. */
  readonly hostBytes: number;
  /** By how much the caller's own resident memory grew at most. */
  readonly callerGrowth: number;
}

export function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0; // It is gone.
  }
}

/**
 * Looks at the caller's event loop and at the memory of everybody, until told to stop.
 *
 * A loop that came late because the machine was busy elsewhere is no fault of anybody: what counts
 * of a late turn is the processor time that the caller's own thread used up in it.
 */
export function watch(): () => Watched {
  const callerBefore = residentBytes(process.pid);
  let stallMs = 0;
  let hostBytes = 0;
  let callerGrowth = 0;
  let turn = 0;
  let wall = performance.now();
  let cpu = process.threadCpuUsage();
  const timer = setInterval(() => {
    const used = process.threadCpuUsage(cpu);
    const usedMs = (used.user + used.system) / 1000;
    const late = performance.now() - wall - SAMPLE_MS;
    stallMs = Math.max(stallMs, Math.min(late, usedMs));
    if (++turn % MEMORY_EVERY === 0) {
      for (const pid of childrenOf(process.pid)) {
        hostBytes = Math.max(hostBytes, residentBytes(pid));
      }
      callerGrowth = Math.max(callerGrowth, residentBytes(process.pid) - callerBefore);
    }
    // Looking costs time as well, and is not what is looked for.
    cpu = process.threadCpuUsage();
    wall = performance.now();
  }, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    return { stallMs, hostBytes, callerGrowth };
  };
}

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

/**
 * Waits until none of the processes burns processor time: no thread of them runs or could run, for
 * several looks in a row. Waiting for a busy machine does not count as standing still.
 *
 * @returns The processes that did not come to rest in time.
 */
export async function burning(pids: readonly number[], withinMs: number): Promise<number[]> {
  const end = performance.now() + withinMs;
  let left = [...pids];
  let still = 0;
  let before = new Map(left.map((pid) => [pid, activity(pid).ticks]));
  while (still < LOOKS) {
    await delay(LOOK_MS);
    const now = new Map(left.map((pid) => [pid, activity(pid)]));
    left = [...pids];
    const busy = left.filter((pid) => {
      const look = now.get(pid);
      return look !== undefined && (look.running > 0 || look.ticks > (before.get(pid) ?? 0) + 1);
    });
    before = new Map(left.map((pid) => [pid, now.get(pid)?.ticks ?? 0]));
    if (busy.length === 0) still++;
    else still = 0;
    if (performance.now() > end && still === 0) return busy;
  }
  return [];
}
