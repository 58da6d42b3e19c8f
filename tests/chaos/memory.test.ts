import { Executor, ProcessPool } from '@glovebox/core';
import { describe, expect, test } from 'vitest';

import { errorOf, valueOf } from '../support/pools.ts';
import { childrenOf, until } from '../support/processes.ts';

/** Resident memory that isolated-vm's own limit does not bound. */
const UNBOUNDED = [
  ['an array that fills itself', 'const a = []; for (;;) a.push(new Array(1000).fill(1));'],
  ['a fill of four billion elements', 'new Array(2 ** 32 - 1).fill(0)'],
  ['closures', 'const a = []; for (;;) { const x = new Array(100); a.push(() => x); }'],
] as const;

describe.each(['proc', 'report'] as const)('memory watched by %s', (memoryWatch) => {
  test.each(UNBOUNDED)(
    '%s ends at a bound, with what was allowed and used',
    async (_what, code) => {
      const pool = new ProcessPool({ hosts: 1, memoryWatch });
      await using executor = new Executor({ pool });
      const outcome = await executor.run({ code, limits: { memoryMb: 32 } });
      const error = errorOf(outcome);
      expect(error.code).toBe('MEMORY_LIMIT');
      expect(error.limit).toBeGreaterThanOrEqual(32 * 2 ** 20);
      // Two looks apart, a bomb grows by some sixty megabytes; a busy machine looks late.
      expect(error.used ?? 0).toBeLessThan(1024 * 2 ** 20);
      expect(valueOf(await executor.run({ code: 'return 1' }))).toBe(1);
    },
  );
});

test('the kernel bounds a host while its parent is too busy to look', async () => {
  await using executor = new Executor({ hosts: 1, spareHosts: 0, limits: { memoryMb: 32 } });
  await executor.ready();
  const { readFileSync } = await import('node:fs');
  const [pid] = childrenOf(process.pid);
  let soft = Number.NaN;
  // Given after the host is ready, by a program of its own.
  await until(() => {
    const limits = readFileSync(`/proc/${pid}/limits`, 'utf8');
    soft = Number(/^Max data size\s+(?<soft>\d+)/m.exec(limits)?.groups?.['soft']);
    return !Number.isNaN(soft);
  });
  const used =
    Number(
      /^VmData:\s+(?<kib>\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.groups?.['kib'],
    ) * 1024;
  expect(soft - used).toBeLessThan(5 * 2 ** 30);
  expect(soft).toBeGreaterThan(used);
});
