import type { Executor, Outcome } from '@glovebox/core';
import { expect } from 'vitest';

import { burning } from '../../support/burning.ts';
import { graceMs, readingMs } from '../../support/calibration.ts';
import type { PoolKind } from '../../support/pools.ts';
import { childrenOf } from '../../support/processes.ts';
import { NEIGHBOUR_VALUE, startNeighbour } from './neighbour.ts';
import { changesOfHost, marksIn, shapeOfHost } from './traces.ts';
import { residentBytes, watch } from './watch.ts';

const MIB = 2 ** 20;

/**
 * How long the caller's event loop may be held, in milliseconds; on a slow machine, so many times
 * what reading a fixed value takes there.
 */
const MAX_STALL_MS = 50;
const MAX_STALL_READINGS = 8;
/** How much processor time, in milliseconds, a host may use after the end of a run. */
const REST_CPU_MS = 500;
/** The outer cap of a host beyond what it holds at rest, as the process pool sets it. */
const outerMib = (memoryMb: number): number => 2 * memoryMb + 96;
/** What a host may take between two looks at it, and while it is being killed. */
const OVERSHOOT_MIB = 256;
/** What the caller may take for one attack. */
const CALLER_MIB = 160;

/** What an attack left behind to look at. */
export interface Traces {
  readonly outcomes: readonly Outcome[];
  /** What else came from the guest, such as the arguments of its calls. */
  readonly guestSaw: readonly unknown[];
  /** Asserts what this attack in particular must end in, once nothing is measured any more. */
  readonly verify: () => void;
}

interface Limits {
  readonly wallMs: number;
  readonly memoryMb: number;
}

/**
 * Runs an attack beside a good neighbour, and asserts what must hold whatever the attack is. What a
 * busy machine may spoil (time, the caller's event loop, processors at rest) is measured once more
 * before it counts as a fault.
 */
export async function measure(
  bench: { readonly executor: Executor; readonly pool: PoolKind },
  limits: Limits,
  act: () => Promise<Traces>,
): Promise<void> {
  const first = await attempt(bench, limits, act);
  if (first.length === 0) return;
  console.warn(`Measured once more: ${first.join('; ')}`);
  expect(await attempt(bench, limits, act), `first: ${first.join('; ')}`).toEqual([]);
}

/** @returns The faults that a busy machine may cause as well. */
async function attempt(
  { executor, pool }: { readonly executor: Executor; readonly pool: PoolKind },
  { wallMs, memoryMb }: Limits,
  act: () => Promise<Traces>,
): Promise<string[]> {
  const inThreads = pool === 'thread';
  const neighbour = await startNeighbour(executor);
  const hosts = inThreads ? [process.pid] : childrenOf(process.pid);
  const atRest = Math.max(...hosts.map(residentBytes));
  const shape = shapeOfHost();
  const stop = watch();
  let traces: Traces;
  let neighbourValue: unknown;
  try {
    traces = await act();
  } finally {
    neighbourValue = await neighbour.finish().catch(String);
  }
  const watched = stop();
  const { hostBytes, callerGrowth } = watched;
  traces.verify();
  expect(neighbourValue).toStrictEqual(NEIGHBOUR_VALUE);

  expect(changesOfHost(shape)).toEqual([]);
  expect(traces.outcomes.flatMap(readableOf).flatMap(marksIn)).toEqual([]);
  expect(marksIn(traces.guestSaw)).toEqual([]);
  const cap = outerMib(memoryMb) + OVERSHOOT_MIB;
  expect((hostBytes - atRest) / MIB).toBeLessThan(cap);
  expect(callerGrowth / MIB).toBeLessThan(inThreads ? cap : CALLER_MIB);

  const faults: string[] = [];
  const dueMs = wallMs + graceMs(watched);
  for (const { usage } of traces.outcomes) {
    if (usage.wallMs > dueMs) faults.push(`${usage.wallMs} ms instead of ${wallMs}`);
  }
  if (watched.workedMs > MAX_STALL_MS) {
    const allowedMs = Math.max(MAX_STALL_MS, MAX_STALL_READINGS * readingMs());
    if (watched.workedMs > allowedMs) {
      faults.push(`the caller's event loop stood for ${watched.workedMs} of ${allowedMs} ms`);
    }
  }
  const busy = await burning(hosts, REST_CPU_MS);
  if (busy.length > 0) faults.push(`processes ${busy.join(', ')} still work`);
  return faults;
}

/** What of an outcome a guest had a hand in. Causes given by the host are for the caller's eyes. */
function readableOf(outcome: Outcome): unknown[] {
  if (outcome.ok) return [outcome.value, outcome.logs];
  const { cause, ...error } = outcome.error;
  return [outcome.logs, error, error.code === 'GUEST_ERROR' ? cause : undefined];
}
