import { readFileSync } from 'node:fs';

import { PLAN_EVENTS, SESSION_REASONS } from '@glovebox/core';
import { expect, test } from 'vitest';

const page = readFileSync(new URL('../../docs/plan-execute.md', import.meta.url), 'utf8');

/** The rows of the table of a section, by their cells. */
function rowsOf(section: string): string[][] {
  const [, after = ''] = page.split(`# ${section}\n`);
  const [text = ''] = after.split('\n#');
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test('the page has every end of a session, and says when it comes', () => {
  const table = Object.entries(SESSION_REASONS).map(([reason, { status, resumable, when }]) => [
    `\`${reason}\``,
    status,
    resumable ? 'yes' : 'no',
    when,
  ]);
  expect(rowsOf('Ends')).toEqual(table);
});

test('the page has every event, and says when it comes', () => {
  const rows = rowsOf('Events').map(([type, , when]) => [type, when]);
  expect(rows).toEqual(Object.entries(PLAN_EVENTS).map(([type, when]) => [`\`${type}\``, when]));
});
