/**
 * Measures runs over NATS beside the process pool of one machine, with the same number of slots:
 * two workers with one slot each, all on this machine, over loopback.
 *
 *     pnpm bench:nats [--rounds N] [--seconds N]
 */
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { Executor } from '@glovebox/core';
import type { RunOptions } from '@glovebox/core';
import { nats } from '@glovebox/core/nats';

import { quantile, round, summarize } from '../executor/statistics.ts';
import { Cluster } from './cluster.ts';
import { processorTime, simulate } from './simulation.ts';
import type { Costs } from './simulation.ts';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
  },
});
const rounds = Number(flags.rounds);
const forMs = Number(flags.seconds) * 1000;

const SLOTS = 2;
const RUNS: readonly { readonly title: string; readonly options: RunOptions }[] = [
  { title: 'submit → result', options: { code: 'return 1 + 1' } },
  {
    title: 'with 10 lines of log',
    options: { code: 'for (let n = 0; n < 10; n++) console.log(n); return 2' },
  },
  {
    title: 'with 5 tool calls',
    options: {
      code: 'for (let n = 0; n < 5; n++) await echo(n); return 2',
      tools: { echo: (input: unknown) => input },
    },
  },
];

async function runOnce(executor: Executor, options: RunOptions): Promise<void> {
  const outcome = await executor.run(options);
  if (!outcome.ok || outcome.value !== 2) throw new Error('A wrong outcome.');
}

/** Milliseconds of single runs, with rest between them. */
async function latencies(executor: Executor, options: RunOptions): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < 100; count++) {
    const started = performance.now();
    await runOnce(executor, options);
    times.push(performance.now() - started);
    await delay(10);
  }
  return times;
}

/** Runs per second. */
async function throughput(
  executor: Executor,
  options: RunOptions,
  inFlight: number,
): Promise<number> {
  const started = performance.now();
  let done = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() - started < forMs) {
      await runOnce(executor, options);
      done++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return (done * 1000) / (performance.now() - started);
}

/** What a run costs each party, when all are busy. */
async function measureCosts(cluster: Cluster, executor: Executor): Promise<Costs> {
  const { server, workers } = cluster.pids;
  const parties = [[process.pid], [server], workers];
  const times = (): number[] =>
    parties.map((pids) => pids.reduce((sum, pid) => sum + processorTime(pid), 0));
  const before = times();
  const started = performance.now();
  const perSecond = await throughput(executor, { code: 'return 1 + 1' }, 64);
  const runs = (perSecond * (performance.now() - started)) / 1000;
  const [own = 0, ofServer = 0, ofWorkers = 0] = times().map(
    (time, party) => (time - (before[party] ?? 0)) / runs,
  );
  return { executor: own, server: ofServer, worker: ofWorkers };
}

interface Figures {
  readonly p50: number[];
  readonly p99: number[];
  readonly perSecond: Map<number, number[]>;
}

async function measure(executor: Executor, options: RunOptions, into: Figures): Promise<void> {
  const times = await latencies(executor, options);
  into.p50.push(quantile(times, 0.5));
  into.p99.push(quantile(times, 0.99));
  for (const [inFlight, sample] of into.perSecond) {
    sample.push(await throughput(executor, options, inFlight));
  }
}

function newFigures(): Figures {
  const perSecond = new Map([1, 8, 64].map((inFlight) => [inFlight, [] as number[]]));
  return { p50: [], p99: [], perSecond };
}

function print(name: string, { p50, p99, perSecond }: Figures): void {
  const rates = Array.from(perSecond, ([inFlight, sample]) => {
    const { median, low, high } = summarize(sample);
    return `${inFlight} in flight ${round(median)}/s (${round(low)} to ${round(high)})`;
  });
  const rest = `p50 ${round(quantile(p50, 0.5))} ms, p99 ${round(quantile(p99, 0.5))} ms`;
  process.stdout.write(`  ${name.padEnd(13)} ${rest}; ${rates.join('; ')}\n`);
}

const [cpu] = os.cpus();
process.stdout.write(
  `Node ${process.version}, ${os.availableParallelism()} cores of ${cpu?.model ?? 'unknown CPU'}; ` +
    `server, executor and two workers on one machine\n` +
    `${rounds} rounds in turns: medians (spread)\n\n`,
);

const cluster = await Cluster.start(SLOTS, 1);
const far = new Executor({ pool: nats({ servers: cluster.url }) });
const near = new Executor({ pool: 'process', hosts: SLOTS });
await Promise.all([far.ready(), near.ready()]);
for (const { title, options } of RUNS) {
  const figures = { near: newFigures(), far: newFigures() };
  // Code that is run for the first time is slower, wherever it runs.
  for (const executor of [near, far]) await throughput(executor, options, 8);
  for (let count = 0; count < rounds; count++) {
    await measure(near, options, figures.near);
    await measure(far, options, figures.far);
  }
  process.stdout.write(`${title}\n`);
  print('process pool', figures.near);
  print('over NATS', figures.far);
  const rate = ({ perSecond }: Figures): number => quantile(perSecond.get(8) ?? [], 0.5);
  const share = (100 * rate(figures.far)) / rate(figures.near);
  process.stdout.write(`  over NATS there is ${round(share)} % of the throughput, 8 in flight\n\n`);
}
simulate(await measureCosts(cluster, far));
await far.close();
await near.close();
await cluster.close();
