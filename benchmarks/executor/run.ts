/**
 * Measures executors side by side: the same work, in one run, in turns, several rounds.
 *
 *     pnpm bench:executor [--rounds N] [--write]
 *
 * `--write` puts the table into the README of the repository.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

import type { Contender } from './contender.ts';
import { CONTENDERS } from './contenders.ts';
import { bareProcesses, OWN_FIGURES } from './own.ts';
import { SCENARIOS } from './scenarios.ts';
import type { Scenario } from './scenarios.ts';
import { round, summarize } from './statistics.ts';
import type { Summary } from './statistics.ts';
import { warmUp } from './warm-up.ts';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    write: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    scenario: { type: 'string' },
    contender: { type: 'string' },
  },
});
const rounds = Number(flags.rounds);

/** Measures in a process of its own: some contenders take theirs with them. */
async function measureOnce(scenario: Scenario, contender: Contender): Promise<number> {
  if (scenario.needsTools && !contender.tools) return Number.NaN;
  const self = [...process.execArgv, fileURLToPath(import.meta.url)];
  const args = [...self, '--scenario', scenario.title, '--contender', contender.name];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
    return Number(stdout);
  } catch (error) {
    const [reason = ''] = String((error as { stderr?: string }).stderr ?? error)
      .trim()
      .split('\n');
    process.stderr.write(`\r\u001B[K${contender.name}: ${scenario.title}: ${reason}\n`);
    return Number.NaN;
  }
}

async function measureHere(scenario: Scenario, contender: Contender): Promise<number> {
  const opened = await contender.open();
  try {
    await warmUp(() => opened.run('return 1 + 1'));
    return await scenario.measure(opened, contender);
  } finally {
    await opened.close();
  }
}

async function measureScenario(scenario: Scenario): Promise<Map<Contender, Summary>> {
  const samples = new Map<Contender, number[]>(CONTENDERS.map((contender) => [contender, []]));
  for (let turn = 0; turn < rounds; turn++) {
    // Each round begins with another one, so that no place in the order is anybody's.
    const order = CONTENDERS.map((_, index) => CONTENDERS[(index + turn) % CONTENDERS.length]);
    for (const contender of order) {
      if (contender === undefined) continue;
      process.stderr.write(`\r\u001B[K${scenario.title}, round ${turn + 1}: ${contender.name}`);
      samples.get(contender)?.push(await measureOnce(scenario, contender));
    }
  }
  return new Map([...samples].map(([contender, sample]) => [contender, summarize(sample)]));
}

function cell({ median, low, high }: Summary): string {
  if (!Number.isFinite(median)) return '–';
  return `${round(median)} (${round(low)}–${round(high)})`;
}

if (flags.scenario !== undefined) {
  const scenario = SCENARIOS.find(({ title }) => title === flags.scenario);
  const contender = CONTENDERS.find(({ name }) => name === flags.contender);
  if (scenario === undefined || contender === undefined) throw new Error('Nothing of that name.');
  process.stdout.write(String(await measureHere(scenario, contender)));
  process.exit(0);
}

const lines: string[] = [];
const cpu = os.cpus()[0]?.model ?? 'unknown processor';
const cores = os.availableParallelism();
lines.push(
  `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${os.type()} ${os.arch()}, ${cores} cores of ${cpu}. ` +
    `Median of ${rounds} rounds, lowest and highest in parentheses; limits of 30 s and 128 MiB for all.`,
  '',
  `| | ${CONTENDERS.map(({ name }) => name).join(' | ')} |`,
  `| --- |${CONTENDERS.map(() => ' --- |').join('')}`,
  `| version | ${CONTENDERS.map(({ version }) => version).join(' | ')} |`,
  `| between code and program | ${CONTENDERS.map(({ wall }) => wall).join(' | ')} |`,
);
for (const scenario of SCENARIOS) {
  if (!scenario.title.includes(flags.only)) continue;
  const results = await measureScenario(scenario);
  const cells = CONTENDERS.map((contender) => cell(results.get(contender) ?? summarize([])));
  lines.push(`| ${scenario.title}, ${scenario.unit} | ${cells.join(' | ')} |`);
}
process.stderr.write('\r\u001B[K');
lines.push('', '| Glovebox alone, process pool | |', '| --- | --- |');
const bare: number[] = [];
for (let turn = 0; turn < rounds; turn++) bare.push(await bareProcesses());
lines.push(`| two bare processes that only make isolates, runs/s | ${cell(summarize(bare))} |`);
for (const figure of OWN_FIGURES) {
  const sample: number[] = [];
  for (let turn = 0; turn < rounds; turn++) sample.push(await figure.measure());
  lines.push(`| ${figure.title}, ${figure.unit} | ${cell(summarize(sample))} |`);
}
process.stdout.write(`${lines.join('\n')}\n`);

if (flags.write) {
  const file = fileURLToPath(new URL('../../README.md', import.meta.url));
  const readme = readFileSync(file, 'utf8');
  const begin = '<!-- benchmark: executor -->';
  const end = '<!-- /benchmark: executor -->';
  const [before, rest] = readme.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error('The README has no place for it.');
  writeFileSync(file, `${before}${begin}\n\n${lines.join('\n')}\n\n${end}${after}`);
}
process.exit(0);
