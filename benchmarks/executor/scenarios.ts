import { setTimeout as delay } from 'node:timers/promises';

import type { Contender, Opened } from './contender.ts';
import { quantile } from './statistics.ts';

/** One thing that is measured, the same for all. */
export interface Scenario {
  readonly title: string;
  readonly unit: string;
  /** Whether more is better. */
  readonly moreIsBetter: boolean;
  readonly needsTools: boolean;
  /** Does the work once and gives the number. */
  measure(opened: Opened, contender: Contender): Promise<number>;
}

const SUM = 'let sum = 0; for (let i = 0; i < 1e7; i++) sum += i % 7; return sum';
const BLOB = 'x'.repeat(1024 * 1024);

async function latencies(opened: Opened, runs: number, pauseMs: number): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const started = performance.now();
    const value = await opened.run('return 1 + 1');
    times.push(performance.now() - started);
    if (value !== 2) throw new Error(`A wrong value: ${String(value)}`);
    // At rest: whatever is done between runs has time to be done.
    await delay(pauseMs);
  }
  return times;
}

async function throughput(opened: Opened, inFlight: number, forMs: number): Promise<number> {
  const started = performance.now();
  let done = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() - started < forMs) {
      await opened.run('return 1 + 1');
      done++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return (done * 1000) / (performance.now() - started);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function medianOf(times: number, work: () => Promise<number>): Promise<number> {
  const sample: number[] = [];
  for (let time = 0; time < times; time++) sample.push(await work());
  return quantile(sample, 0.5);
}

const ms = { unit: 'ms', moreIsBetter: false, needsTools: false } as const;
const perSecond = { unit: 'runs/s', moreIsBetter: true, needsTools: false } as const;

export const SCENARIOS: readonly Scenario[] = [
  {
    title: 'latency at rest, p50',
    ...ms,
    measure: async (opened) => quantile(await latencies(opened, 100, 5), 0.5),
  },
  {
    title: 'latency at rest, p99',
    ...ms,
    measure: async (opened) => quantile(await latencies(opened, 100, 5), 0.99),
  },
  {
    title: 'throughput, 1 in flight',
    ...perSecond,
    measure: (opened) => throughput(opened, 1, 1000),
  },
  {
    title: 'throughput, 8 in flight',
    ...perSecond,
    measure: (opened) => throughput(opened, 8, 1500),
  },
  {
    title: 'throughput, 64 in flight',
    ...perSecond,
    measure: (opened) => throughput(opened, 64, 1500),
  },
  {
    title: 'one tool call, there and back',
    ...ms,
    needsTools: true,
    // A hundred in one run, so that the run itself hardly counts.
    measure: (opened) =>
      medianOf(5, async () => {
        const code = 'for (let i = 0; i < 100; i++) await echo(i); return 1';
        return (await timed(() => opened.run(code, { echo: (n: number) => n }))) / 100;
      }),
  },
  {
    title: 'ten tools of 20 ms in parallel',
    ...ms,
    needsTools: true,
    measure: (opened) =>
      medianOf(3, () =>
        timed(() =>
          opened.run('await Promise.all(Array.from({ length: 10 }, (_, i) => slow(i))); return 1', {
            slow: (n: number) => delay(20, n),
          }),
        ),
      ),
  },
  {
    title: 'a loop of 10 million steps',
    ...ms,
    measure: (opened) => medianOf(3, () => timed(() => opened.run(SUM))),
  },
  {
    title: '1 MiB of text in and out',
    ...ms,
    needsTools: true,
    measure: (opened) =>
      medianOf(5, () => timed(() => opened.run('return await blob(1)', { blob: () => BLOB }))),
  },
];
