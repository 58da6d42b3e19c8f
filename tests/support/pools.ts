import { Executor } from '@glovebox/core';
import type { ExecutorOptions, Outcome, OutcomeError } from '@glovebox/core';
import { afterAll, beforeAll, describe } from 'vitest';

import { createNatsExecutor, NATS_SERVER } from './nats.ts';

export type PoolKind = 'thread' | 'process';

/** Names the pools that tests run against, with commas between them; all of them unless given. */
const asked = process.env['GLOVEBOX_TEST_POOLS']?.split(',');

function isAsked(pool: PoolKind | 'nats'): boolean {
  return asked === undefined || asked.includes(pool);
}

/** The pools of one machine. */
export const POOLS: readonly PoolKind[] = (['thread', 'process'] as const).filter(isAsked);

/** Every pool that the conformance suite runs against: over NATS where a server can be started. */
export const EVERY_POOL: readonly (PoolKind | 'nats')[] =
  NATS_SERVER === undefined || !isAsked('nats') ? POOLS : [...POOLS, 'nats'];

export async function createExecutor(
  pool: PoolKind | 'nats',
  options: ExecutorOptions,
): Promise<Executor> {
  return pool === 'nats' ? createNatsExecutor(options) : new Executor({ pool, ...options });
}

/** Runs the same tests against every pool, with one executor for all tests of a pool. */
export function describeEachPool(
  title: string,
  tests: (executor: () => Executor, pool: PoolKind | 'nats') => void,
  options: ExecutorOptions = {},
): void {
  describe.each(EVERY_POOL)(`${title} (%s pool)`, (pool) => {
    let executor: Executor;
    beforeAll(async () => {
      executor = await createExecutor(pool, { hosts: 2, ...options });
      await executor.ready();
    });
    afterAll(() => executor.close());
    tests(() => executor, pool);
  });
}

/** The value of an outcome that must be one. */
export function valueOf<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`${outcome.error.code}: ${outcome.error.message}`);
  return outcome.value;
}

/** The error of an outcome that must be one. */
export function errorOf(outcome: Outcome): OutcomeError {
  if (outcome.ok) throw new Error(`A value came: ${String(outcome.value)}`);
  return outcome.error;
}
