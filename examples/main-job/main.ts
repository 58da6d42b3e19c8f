/**
 * Runs untrusted code over real data in parallel: two valid runs, an endless loop, and a run with
 * unlimited memory growth. Each outcome is shown when its run ends. Afterwards another valid run
 * shows that the executor still works.
 */
import { setTimeout as delay } from 'node:timers/promises';

import { Executor } from '@glovebox/core';
import type { Outcome, RunOptions } from '@glovebox/core';

import { AGGREGATE, ENDLESS, MAP_BOMB, PARALLEL_TOOLS } from './guests.ts';
import { heading, report } from './report.ts';
import { readWeather } from './weather.ts';

const days = readWeather();

/** A tool of the host: guests call it, and it runs in this process. */
async function sunnyDays({ year }: { year: number }): Promise<{ year: number; count: number }> {
  await delay(200);
  const count = days.filter(
    ({ date, weather }) => date.getUTCFullYear() === year && weather === 'sun',
  ).length;
  return { year, count };
}

heading(`${days.length} days of Seattle's weather, and untrusted code.`);

await using executor = new Executor();
await executor.ready();

async function show(title: string, options: RunOptions): Promise<Outcome> {
  const started = performance.now();
  const outcome = await executor.run(options);
  report(title, outcome, performance.now() - started);
  return outcome;
}

await Promise.all([
  show('Aggregate rows', { code: AGGREGATE, variables: { days } }),
  show('Three tools in parallel', { code: PARALLEL_TOOLS, tools: { sunnyDays } }),
  show('Never ends', { code: ENDLESS, limits: { wallMs: 500 } }),
  show('Grows a Map', { code: MAP_BOMB, limits: { memoryMb: 64, wallMs: 5000 } }),
]);

const next = await show('The next valid run', {
  code: 'return days.filter((day) => day.low < 0).length',
  variables: { days },
});

const { hosts, spareHosts, hostsLost, hostsRecycled } = executor.stats();
heading(
  `\nThe caller is not affected: ${hosts} hosts and ${spareHosts} spare hosts are ready, ` +
    `${hostsLost + hostsRecycled} hosts were replaced.`,
);
process.exitCode = next.ok ? 0 : 1;
