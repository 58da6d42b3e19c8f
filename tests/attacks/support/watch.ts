import { readFileSync } from 'node:fs';

import { watchLoop } from '../../support/calibration.ts';
import type { LoopReport } from '../../support/calibration.ts';
import { childrenOf } from '../../support/processes.ts';

/** The memory of hosts is looked at once in so many turns of the caller's event loop. */
const MEMORY_EVERY = 3;
const PAGE_BYTES = 4096;

export interface Watched extends LoopReport {
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

/** Looks at the caller's event loop and at the memory of everybody, until told to stop. */
export function watch(): () => Watched {
  const callerBefore = residentBytes(process.pid);
  let hostBytes = 0;
  let callerGrowth = 0;
  let turn = 0;
  const stop = watchLoop(() => {
    if (++turn % MEMORY_EVERY !== 0) return;
    for (const pid of childrenOf(process.pid)) {
      hostBytes = Math.max(hostBytes, residentBytes(pid));
    }
    callerGrowth = Math.max(callerGrowth, residentBytes(process.pid) - callerBefore);
  });
  return () => ({ ...stop(), hostBytes, callerGrowth });
}
