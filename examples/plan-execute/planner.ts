/**
 * A goal, a planner for it, and the tools that the plan uses. The code in the steps is untrusted,
 * as a model might have written it. `glovebox plan` can execute this file as well.
 */
import { readFile } from 'node:fs/promises';

import { ToolRegistry } from '@glovebox/core';
import type { Planner, PlanStep } from '@glovebox/core';
import { z } from 'zod';

export const goal =
  "Does Kepler's third law hold, which planet is the heaviest, and which would float?";

export const registry = new ToolRegistry();
registry.register({
  name: 'table.read',
  description: 'The text of a table, as comma-separated values.',
  inputSchema: z.object({ name: z.enum(['planets']) }),
  idempotent: true,
  execute: ({ name }: { name: string }) =>
    readFile(new URL(`${name}.csv`, import.meta.url), 'utf8'),
});

const PARSE = `
const [head, ...lines] = text.trim().split('\\n').map((line) => line.split(','));
return lines.map(([planet, ...cells]) => ({
  planet,
  ...Object.fromEntries(cells.map((cell, index) => [head[index + 1], Number(cell)])),
}));`;

/** Kepler's third law: distance cubed divided by period squared is equal for all planets. */
const KEPLER = `
return new Map(rows.map(({ planet, distance_au: a, period_years: t }) => [planet, a ** 3 / t ** 2]));`;

const HEAVIEST = `
return rows.reduce((one, other) => (other.mass_1e24_kg > one.mass_1e24_kg ? other : one)).planet;`;

/** An endless loop that adds to a Map until the memory limit. */
const HOSTILE = `
const digits = new Map();
for (let place = 0; ; place++) digits.set(place, rows.map((row) => row.mass_1e24_kg / place));`;

const FLOATS = `
const density = ({ mass_1e24_kg: mass, diameter_km: diameter }) =>
  (mass * 1e24) / ((Math.PI / 6) * (diameter * 1000) ** 3);
return rows.filter((row) => density(row) < 1000).map(({ planet }) => planet);`;

const ANSWER = `
const off = Math.max(...[...ratios.values()].map((ratio) => Math.abs(ratio - 1)));
return { kepler: off < 0.01, offBy: off, heaviest, floats };`;

const rows = { $result: 2 };

const answer: PlanStep = {
  id: 5,
  code: ANSWER,
  args: { ratios: { $result: 31 }, heaviest: { $result: 32 }, floats: { $result: 4 } },
  expectedOutcome: 'the answer',
};

const first: readonly PlanStep[] = [
  {
    id: 1,
    toolName: 'table.read',
    args: { name: 'planets' },
    expectedOutcome: 'the table as text',
  },
  { id: 2, code: PARSE, args: { text: { $result: 1 } }, expectedOutcome: 'a row for each planet' },
  {
    id: 3,
    gather: [
      { id: 31, code: KEPLER, args: { rows }, expectedOutcome: 'one ratio for all planets' },
      { id: 32, code: HEAVIEST, args: { rows }, expectedOutcome: 'a name' },
    ],
    expectedOutcome: 'the law, tried out, and the heaviest planet',
  },
  {
    id: 4,
    code: HOSTILE,
    args: { rows },
    limits: { memoryMb: 32, wallMs: 10_000 },
    expectedOutcome: 'the planets that are lighter than water',
  },
  answer,
];

/** Only the steps that are not done: references give the results of the others. */
const replacement: readonly PlanStep[] = [
  {
    id: 4,
    code: FLOATS,
    args: { rows },
    expectedOutcome: 'the planets that are lighter than water',
  },
  answer,
];

export const planner: Planner = (_goal, history, lastError) => {
  if (lastError === null) return first;
  const failure = history.at(-1)?.failure;
  return failure?.outcomeCode === 'MEMORY_LIMIT' ? replacement : { gaveUp: lastError };
};
