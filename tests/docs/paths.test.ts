import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...globSync('docs/**/*.md', { cwd: root }),
];
/** Pages for users: what they name may be files of the user. */
const FOR_USERS = new Set(['README.md', 'docs/code-agent.md', 'docs/plan-execute.md']);
/** Where a path in a page may begin. */
const STARTS = ['', 'packages', 'packages/core/src'];
const FILE = /^[\w.-]+(?:\/[\w.-]+)*\/?$/;
const EXTENSION = /\.(?:ts|json|md|yaml|yml|conf|py)$/;

/** The files and folders of this repository that a page names in code style. */
function pathsIn(page: string): string[] {
  const prose = page.replaceAll(/^```[\s\S]*?^```/gm, '');
  const spans = Array.from(prose.matchAll(/`([^`\n]+)`/g), ([, text = '']) => text);
  return spans.filter(
    (text) =>
      FILE.test(text) &&
      text.includes('/') &&
      (EXTENSION.test(text) ||
        /^(?:packages|tests|scripts|docs|benchmarks|examples|deploy)\//.test(text)),
  );
}

function linksIn(page: string): string[] {
  const links = Array.from(page.matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target);
  return links
    .filter((target) => !/^(?:https?:|#)/.test(target))
    .map((link) => link.split('#')[0] ?? '');
}

test.each(PAGES.filter((name) => !FOR_USERS.has(name)))('%s names files that exist', (name) => {
  const page = readFileSync(path.join(root, name), 'utf8');
  const missing = pathsIn(page).filter(
    (file) => !STARTS.some((start) => existsSync(path.join(root, start, file))),
  );
  expect(missing).toEqual([]);
});

test.each(PAGES)('%s links to pages that exist', (name) => {
  const page = readFileSync(path.join(root, name), 'utf8');
  const broken = linksIn(page).filter(
    (link) => !existsSync(path.join(root, path.dirname(name), link)),
  );
  expect(broken).toEqual([]);
});
