import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { Executor } from '@glovebox/core';

import { quantile } from './statistics.ts';
import { warmUp } from './warm-up.ts';

/** A number of ours that has no like among the peers. */
export interface OwnFigure {
  readonly title: string;
  readonly unit: string;
  measure(): Promise<number>;
}

async function value(executor: Executor, code: string): Promise<number> {
  const outcome = await executor.run({ code });
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.usage.wallMs + outcome.usage.queueMs;
}

/** Private bytes of a process, from Linux's `/proc`. */
function privateBytes(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return [...rollup.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB$/gm)].reduce(
    (sum, [, kib]) => sum + Number(kib) * 1024,
    0,
  );
}

function children(): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === process.pid;
      } catch {
        return false;
      }
    });
}

/** What two processes that only make isolates reach together on this machine. */
export async function bareProcesses(): Promise<number> {
  const file = fileURLToPath(new URL('bare-process.ts', import.meta.url));
  const run = promisify(execFile);
  const results = await Promise.all(
    [1, 2].map(() => run(process.execPath, ['--no-node-snapshot', '--no-warnings', file, '1500'])),
  );
  return results.reduce((sum, { stdout }) => sum + Number(stdout), 0);
}

export const OWN_FIGURES: readonly OwnFigure[] = [
  {
    title: 'cold start to the first answer',
    unit: 'ms',
    async measure() {
      const started = performance.now();
      await using executor = new Executor({ hosts: 1, spareHosts: 0 });
      await value(executor, 'return 1');
      return performance.now() - started;
    },
  },
  {
    title: 'a run of a session, p50',
    unit: 'ms',
    async measure() {
      await using executor = new Executor({ hosts: 1, spareHosts: 0 });
      await using session = await executor.openSession();
      await warmUp(() => session.run({ code: 'return 1 + 1' }));
      const times: number[] = [];
      for (let run = 0; run < 200; run++) {
        const started = performance.now();
        await session.run({ code: 'return 1 + 1' });
        times.push(performance.now() - started);
        await delay(2);
      }
      return quantile(times, 0.5);
    },
  },
  {
    title: 'wait of the next run after a host was killed',
    unit: 'ms',
    async measure() {
      await using executor = new Executor({ hosts: 1, spareHosts: 1, quarantine: false });
      const waits: number[] = [];
      for (let kill = 0; kill < 5; kill++) {
        while (executor.stats().spareHosts === 0) await delay(10);
        await executor.run({
          code: 'const a = []; a[2 ** 31] = 1; a.indexOf(2)',
          limits: { wallMs: 50 },
        });
        const outcome = await executor.run({ code: 'return 1' });
        waits.push(outcome.usage.queueMs);
      }
      return quantile(waits, 0.5);
    },
  },
  {
    title: 'private memory of an idle host',
    unit: 'MiB',
    async measure() {
      await using executor = new Executor({ hosts: 1, spareHosts: 0 });
      await executor.ready();
      await delay(500);
      return Math.max(...children().map(privateBytes)) / 2 ** 20;
    },
  },
];
