import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { runScript } from '../support/script.ts';

const WORKSPACE = path.join(import.meta.dirname, '../..');
const FOLDER = path.join(WORKSPACE, 'examples/adapters');

/** What each example prints. */
const OUTPUT = {
  'ai-sdk.ts': 'Result:\n12\n',
  'codemode.ts': '{ result: 12 }\n',
  'langchain.ts': 'Result:\n12\n',
  'mastra.ts': '{"success":true,"result":12,"logs":[]}\n',
  'openai-agents.ts': 'Result:\n12\n',
  'smolagents.ts': '12 true\n',
  'tanstack.ts': String.raw`"{\"success\":true,\"result\":12,\"logs\":[]}"` + '\n',
};

test('every example is run', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.ts'));
  expect(files).toEqual(Object.keys(OUTPUT));
});

test.each(Object.entries(OUTPUT))('%s prints what it should', async (name, output) => {
  const { code, stdout, stderr } = await runScript(path.join(FOLDER, name));
  expect(stderr).toBe('');
  expect(stdout).toBe(output);
  expect(code).toBe(0);
});

test('docs/adapters.md shows the code of the examples as it is', () => {
  const page = readFileSync(path.join(WORKSPACE, 'docs/adapters.md'), 'utf8');
  const examples = Object.keys(OUTPUT).map((name) => readFileSync(path.join(FOLDER, name), 'utf8'));
  const blocks = Array.from(page.matchAll(/```ts\n(?<code>[\s\S]*?)```/g));
  expect(blocks).toHaveLength(examples.length);
  const shown = blocks.map(({ groups }) => groups?.['code'] ?? '');
  expect(shown.filter((code) => !examples.some((example) => example.includes(code)))).toEqual([]);
});
