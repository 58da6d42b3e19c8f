import type { Executor, Outcome } from '@glovebox/core';
import { expect } from 'vitest';

import type { PoolKind } from '../../support/pools.ts';
import { childrenOf } from '../../support/processes.ts';
import { NEIGHBOUR_VALUE, startNeighbour } from './neighbour.ts';
import { changesOfHost, marksIn, shapeOfHost } from './traces.ts';
import { burning, MAX_STALL_MS, residentBytes, watch } from './watch.ts';

const MIB = 2 ** 20;

/** How long after its wall limit a run may be answered. */
const GRACE_MS = 250;
/** How soon after its end nothing of a run may burn processor time any more. */
const REST_MS = 500;
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
  const { stallMs, hostBytes, callerGrowth } = stop();
  traces.verify();
  expect(neighbourValue).toStrictEqual(NEIGHBOUR_VALUE);

  expect(changesOfHost(shape)).toEqual([]);
  expect(traces.outcomes.flatMap(readableOf).flatMap(marksIn)).toEqual([]);
  expect(marksIn(traces.guestSaw)).toEqual([]);
  const cap = outerMib(memoryMb) + OVERSHOOT_MIB;
  expect((hostBytes - atRest) / MIB).toBeLessThan(cap);
  expect(callerGrowth / MIB).toBeLessThan(inThreads ? cap : CALLER_MIB);

  const faults: string[] = [];
  for (const { usage } of traces.outcomes) {
    if (usage.wallMs > wallMs + GRACE_MS) faults.push(`${usage.wallMs} ms instead of ${wallMs}`);
  }
  if (stallMs > MAX_STALL_MS) faults.push(`the caller's event loop stood for ${stallMs} ms`);
  const busy = await burning(hosts, REST_MS);
  if (busy.length > 0) faults.push(`processes ${busy.join(', ')} still work`);
  return faults;
}

/** What of an outcome a guest had a hand in. Causes given by the host are for the caller's eyes. */
function readableOf(outcome: Outcome): unknown[] {
  if (outcome.ok) return [outcome.value, outcome.logs];
  const { cause, ...error } = outcome.error;
  return [outcome.logs, error, error.code === 'GUEST_ERROR' ? cause : undefined];
}
