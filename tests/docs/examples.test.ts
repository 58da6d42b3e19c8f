import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { runScript } from '../support/script.ts';

const WORKSPACE = path.join(import.meta.dirname, '../..');
const PAGES = [
  'README.md',
  'docs/getting-started.md',
  'docs/tools.md',
  'docs/plan-execute.md',
  'docs/servers.md',
];

interface Example {
  readonly name: string;
  readonly code: string;
  /** What the page says that it prints, where it does. */
  readonly output: string | undefined;
}

/** The TypeScript of a page that stands alone, each with the text block that follows it. */
function examplesOf(page: string): Example[] {
  const text = readFileSync(path.join(WORKSPACE, page), 'utf8');
  const blocks = text.matchAll(
    /```ts\n(?<code>[\s\S]*?)```(?:\s*```text\n(?<output>[\s\S]*?)```)?/g,
  );
  return Array.from(blocks, ({ groups }, index) => ({
    name: `${page}, example ${index + 1}`,
    code: groups?.['code'] ?? '',
    output: groups?.['output'],
  })).filter(({ code }) => code.includes('import '));
}

const examples = PAGES.flatMap(examplesOf);
let folder: string;
// Inside the workspace, so that the packages resolve as for a user.
beforeAll(() => {
  folder = mkdtempSync(path.join(WORKSPACE, 'tests/.examples-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the pages have examples', () => {
  expect(examples.length).toBeGreaterThanOrEqual(5);
});

test.each(examples)('$name runs as it stands', async ({ name, code, output }) => {
  const file = path.join(folder, `${name.replaceAll(/\W+/g, '-')}.ts`);
  writeFileSync(file, code);
  const { code: exitCode, stdout, stderr } = await runScript(file);
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  // A page that does not say what comes out must at least show something.
  expect(output ?? (stdout === '' ? 'something' : stdout)).toBe(stdout);
});
