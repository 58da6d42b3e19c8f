/**
 * Untrusted tools over real data, side by side: two good ones, one that never ends, one that grows
 * without end. Each outcome is shown as it comes; afterwards the next good one runs as if nothing
 * had happened.
 */
import { setTimeout as delay } from 'node:timers/promises';

import { Executor } from '@glovebox/core';
import type { Outcome, RunOptions } from '@glovebox/core';

import { AGGREGATE, ENDLESS, MAP_BOMB, PARALLEL_TOOLS } from './guests.ts';
import { heading, report } from './report.ts';
import { readWeather } from './weather.ts';

const days = readWeather();

/** A tool of the host: guests call it, and it runs here. */
async function sunnyDays({ year }: { year: number }): Promise<{ year: number; count: number }> {
  await delay(200);
  const count = days.filter(
    ({ date, weather }) => date.getUTCFullYear() === year && weather === 'sun',
  ).length;
  return { year, count };
}

heading(`${days.length} days of Seattle's weather, and code that nobody has read.`);

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

const next = await show('The next good one', {
  code: 'return days.filter((day) => day.low < 0).length',
  variables: { days },
});

const { hosts, spareHosts, hostsLost, hostsRecycled } = executor.stats();
heading(
  `\nThe caller is untouched: ${hosts} hosts and ${spareHosts} spare are ready, ` +
    `${hostsLost + hostsRecycled} replaced on the way.`,
);
process.exitCode = next.ok ? 0 : 1;
