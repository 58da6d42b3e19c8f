import { readFileSync } from 'node:fs';

import { MISUSE_CODES, OUTCOME_CODES } from '@glovebox/core';
import { expect, test } from 'vitest';

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');

/** The rows `| code | when | what to do |` of a section, without the last column. */
function rowsOf(section: string): [code: string, when: string][] {
  const [, after = ''] = page.split(`\n## ${section}\n`);
  const [text = ''] = after.split('\n## ');
  return text.split('\n').flatMap((line): [string, string][] => {
    const [, code = '', when = '', advice = ''] = line.split('|').map((cell) => cell.trim());
    return /^`[A-Z_]+`$/.test(code) && advice !== '' ? [[code.slice(1, -1), when]] : [];
  });
}

test('the page has every code of an outcome, and says when it comes', () => {
  const table = Object.entries(OUTCOME_CODES).map(([code, { when }]) => [code, when]);
  expect(rowsOf('Outcomes')).toEqual(table);
});

test('the page has every code that is thrown, and says when it comes', () => {
  expect(rowsOf('Thrown')).toEqual(Object.entries(MISUSE_CODES));
});
