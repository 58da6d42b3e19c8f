/**
 * What the hardening options cost: a run at rest, and a loop of ten million steps. Uses the built
 * packages, since hosts without the JIT cannot strip types: run `pnpm build` first.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { Executor } from '@glovebox/core';
import type { ExecutorOptions, RunOptions } from '@glovebox/core';

interface Setting {
  readonly name: string;
  readonly options: ExecutorOptions;
  readonly run?: Partial<RunOptions>;
}

const BWRAP = '/usr/bin/bwrap';

const SETTINGS: readonly Setting[] = [
  { name: 'as it comes', options: {} },
  { name: 'jit: false', options: { jit: false } },
  { name: 'deterministic', options: {}, run: { deterministic: { now: 0, seed: 1 } } },
  { name: 'four slots in one host', options: { slotsPerHost: 4 } },
  ...(existsSync(BWRAP)
    ? [
        {
          name: 'hosts in bubblewrap, without network and with a read-only root',
          options: {
            spawn: (command: string, args: readonly string[], options: object) =>
              spawn(
                BWRAP,
                [
                  '--ro-bind',
                  '/',
                  '/',
                  '--unshare-all',
                  '--die-with-parent',
                  '--',
                  command,
                  ...args,
                ],
                options,
              ),
          } satisfies ExecutorOptions,
        },
      ]
    : []),
];

const LOOP = 'let sum = 0; for (let i = 0; i < 1e7; i++) sum += i % 7; return sum';

async function medianOf(times: number, work: () => Promise<number>): Promise<string> {
  const sample: number[] = [];
  for (let time = 0; time < times; time++) sample.push(await work());
  const [low, median, high] = [0, 0.5, 1].map((share) => {
    const sorted = sample.toSorted((a, b) => a - b);
    return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2);
  });
  return `${median} (${low}–${high})`;
}

process.stdout.write(
  '| | start of a host, ms | a run at rest, ms | a loop of 10 million steps, ms |\n',
);
process.stdout.write('| --- | --- | --- | --- |\n');
for (const { name, options, run } of SETTINGS) {
  const started = performance.now();
  await using executor = new Executor({ hosts: 1, spareHosts: 0, ...options });
  await executor.ready();
  const boot = performance.now() - started;
  const time = async (code: string): Promise<number> => {
    const begun = performance.now();
    const outcome = await executor.run({ code, ...run });
    if (!outcome.ok) throw new Error(outcome.error.message);
    await delay(5);
    return performance.now() - begun - 5;
  };
  const rest = await medianOf(100, () => time('return 1'));
  const loop = await medianOf(5, () => time(LOOP));
  process.stdout.write(`| ${name} | ${boot.toFixed(0)} | ${rest} | ${loop} |\n`);
}
