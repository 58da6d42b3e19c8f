import { Executor } from '@glovebox/core';
import type { ExecutorOptions, LimitsInput } from '@glovebox/core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { POOLS } from '../../support/pools.ts';
import type { PoolKind } from '../../support/pools.ts';
import { childrenOf, until } from '../../support/processes.ts';
import { Batch } from './batch.ts';
import type { ProgramLimits } from './batch.ts';
import { measure } from './measure.ts';
import type { Bench, Program, Script, Variant } from './variants.ts';

export interface Settings {
  /** Options of the executor that all variants of the file share. */
  readonly executor?: ExecutorOptions;
  /** Limits of every variant that brings no other. */
  readonly limits?: LimitsInput;
  /**
   * So many programs of the same limits run at once, each on a host of its own; 1 by default. For
   * programs that do not disturb each other: what is measured beside them is the doing of all.
   */
  readonly atOnce?: number;
}

/** Enough for every program that ends by itself or at another limit, on a busy machine too. */
const DEFAULT_WALL_MS = 30_000;
/** Time for two measurements of whatever takes longest. */
const TEST_TIMEOUT_MS = 300_000;
const DEFAULT_MEMORY_MB = 64;

/** Set while the catalogue is read: variants are then gathered, and no test is made of them. */
let gathered: Variant[] | undefined;

/** The variants that a file registers while it is loaded. */
export async function gather(load: () => Promise<unknown>): Promise<readonly Variant[]> {
  gathered = [];
  try {
    await load();
    return gathered;
  } finally {
    gathered = undefined;
  }
}

/** Registers the variants of a file: each runs in every pool that it is meant for. */
export function attacks(title: string, settings: Settings, variants: readonly Variant[]): void {
  if (gathered !== undefined) {
    gathered.push(...variants);
    return;
  }
  const meantFor = (pool: PoolKind): readonly Variant[] =>
    variants.filter(({ notInThreads }) => pool === 'process' || notInThreads === undefined);
  // A file may hold nothing that a thread can survive.
  const pools = POOLS.filter((pool) => meantFor(pool).length > 0);
  // One more for the good neighbour.
  const hosts = (settings.atOnce ?? 1) + 1;
  describe.each(pools)(`${title} (%s pool)`, (pool) => {
    const meant = meantFor(pool);
    const batches = batchesOf(meant, settings);
    let executor: Executor;
    beforeAll(async () => {
      executor = new Executor({ pool, hosts, ...settings.executor });
      await executor.ready();
    });
    beforeEach(() => settle(executor, hosts));
    afterAll(async () => {
      await executor.close();
      expect(childrenOf(process.pid)).toEqual([]);
    });
    test.each(meant.map((variant) => [variant.name, variant] as const))(
      '%s',
      async (_name, variant) => {
        expect.hasAssertions();
        if ('script' in variant) await runScript(variant, { executor, pool });
        else await batches.get(variant)?.verify(variant, { executor, pool });
      },
      TEST_TIMEOUT_MS,
    );
  });
}

/** Gives every program its batch, in the order in which they stand. */
function batchesOf(
  variants: readonly Variant[],
  { atOnce = 1, limits: common }: Settings,
): ReadonlyMap<Program, Batch> {
  const batches = new Map<Program, Batch>();
  /** By limits; the last one of each may take further programs. */
  const open = new Map<string, Batch>();
  for (const program of variants) {
    if ('script' in program) continue;
    const limits = limitsOf({ ...common, ...program.limits });
    const key = JSON.stringify(limits);
    let batch = open.get(key);
    if (batch === undefined || batch.programs.length >= atOnce) batch = new Batch(limits);
    open.set(key, batch);
    batch.programs.push(program);
    batches.set(program, batch);
  }
  return batches;
}

function limitsOf(given: LimitsInput): ProgramLimits {
  const { wallMs = DEFAULT_WALL_MS, memoryMb = DEFAULT_MEMORY_MB } = given;
  return { ...given, wallMs, memoryMb };
}

/** Waits until hosts that were lost are replaced, so that no variant pays for the one before it. */
async function settle(executor: Executor, wanted: number): Promise<void> {
  if (executor.stats().kind !== 'process') return;
  await until(() => {
    const { hosts, spareHosts, busySlots } = executor.stats();
    return hosts >= wanted && spareHosts >= 1 && busySlots === 0;
  });
}

async function runScript(script: Script, bench: Bench): Promise<void> {
  await measure(
    bench,
    { wallMs: script.wallMs ?? DEFAULT_WALL_MS, memoryMb: DEFAULT_MEMORY_MB },
    async () => ({ outcomes: await script.script(bench), guestSaw: [], verify: () => undefined }),
  );
}
