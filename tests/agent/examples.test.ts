import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { AGENT_REASONS } from '@glovebox/core/agent';
import { expect, test } from 'vitest';

import { readWeather } from '../../examples/main-job/weather.ts';
import { runScript } from '../support/script.ts';

const WORKSPACE = path.join(import.meta.dirname, '../..');
const FOLDER = path.join(WORKSPACE, 'examples/code-agent');
const PLAN = '# 2. Plan\n1. Look the articles up.\n2. Sum them up.\n';

test.each([
  ['approve', `${PLAN}[ 'Maglev', 'Sparkplug' ]\n`],
  ['modify', `${PLAN}[ 'Sparkplug', 'Maglev' ]\n`],
  ['cancel', `${PLAN}Stopped: Not now. Searches: 0.\n${PLAN}[ 'Maglev', 'Sparkplug' ]\n`],
])('a person reviews a plan: %s', async (choice, output) => {
  const { code, stdout, stderr } = await runScript(path.join(FOLDER, 'main.ts'), [choice]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toBe(output);
});

test('a question about a real table gets the right answer', async () => {
  const rain = new Map<string, number>();
  for (const { date, precipitation } of readWeather()) {
    const month = date.toISOString().slice(0, 7);
    rain.set(month, (rain.get(month) ?? 0) + precipitation);
  }
  const most = Math.max(...rain.values());
  const [month] = [...rain].find(([, amount]) => amount === most) ?? [];
  const { code, stdout, stderr } = await runScript(path.join(FOLDER, 'weather-question.ts'));
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.split('\n')[0]).toBe(
    `answered { month: '${month}', millimetres: ${Math.round(most)} }`,
  );
});

test('an agent is saved and loaded', async () => {
  const { code, stdout, stderr } = await runScript(path.join(FOLDER, 'save-and-load.ts'));
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toBe('agent.json app.ts host.ts package.json prompts.yaml tools []\nkept 4.67\n');
});

const page = readFileSync(path.join(WORKSPACE, 'docs/code-agent.md'), 'utf8');

test('the page shows the code of the examples as it is', () => {
  const examples = readdirSync(FOLDER).map((name) => readFileSync(path.join(FOLDER, name), 'utf8'));
  const blocks = Array.from(page.matchAll(/```ts\n(?<code>[\s\S]*?)```/g));
  expect(blocks).toHaveLength(3);
  const shown = blocks.map(({ groups }) => groups?.['code'] ?? '');
  expect(shown.filter((code) => !examples.some((example) => example.includes(code)))).toEqual([]);
});

test('the page has every reason for which a run can end, and says when', () => {
  const rows = page.split('\n').flatMap((line) => {
    const [, reason = '', status = '', when = ''] = line.split('|').map((cell) => cell.trim());
    return /^`[a-z_]+`$/.test(reason) && /^`[a-z]+`$/.test(status)
      ? [[reason.slice(1, -1), { status: status.slice(1, -1), when }]]
      : [];
  });
  expect(rows).toEqual(
    Object.entries(AGENT_REASONS).map(([reason, { status, when }]) => [reason, { status, when }]),
  );
});
