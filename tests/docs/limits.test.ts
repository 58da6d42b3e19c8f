import { readFileSync } from 'node:fs';

import { LIMIT_NAMES, LIMITS } from '@glovebox/protocol/limits';
import type { LimitRow } from '@glovebox/protocol/limits';
import { expect, test } from 'vitest';

const KIB = 1024;
const MIB = 1024 * KIB;

function pageOf(name: string): string {
  return readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
}

/** The rows of the tables of a text whose first cell is the name of a limit, by their cells. */
function rowsOf(text: string): string[][] {
  const rows = text.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return rows.filter(([name = '']) => /^`[a-z][A-Za-z]+`$/.test(name));
}

/** A number as the pages have it: `30 000`, `256 KiB`. */
function written(value: number, unit: LimitRow['unit']): string {
  if (unit === 'bytes' && value > 0 && value % MIB === 0) return `${value / MIB} MiB`;
  if (unit === 'bytes' && value > 0 && value % KIB === 0) return `${value / KIB} KiB`;
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ' ');
}

test('the page has every limit, with unit, range, default, cap, who enforces it, and what is counted', () => {
  const table = LIMIT_NAMES.map((name) => {
    const {
      unit,
      min,
      max,
      default: usual,
      workerCap,
      enforcedBy,
      counts,
    }: LimitRow = LIMITS[name];
    return [
      `\`${name}\``,
      unit,
      `${written(min, unit)} – ${written(max, unit)}`,
      written(usual, unit),
      written(workerCap, unit),
      enforcedBy.join(', '),
      counts,
    ];
  });
  expect(rowsOf(pageOf('limits.md'))).toEqual(table);
});

test('the few limits of the first page have their real defaults', () => {
  const [, section = ''] = pageOf('getting-started.md').split('\n## Limits\n');
  const rows = rowsOf(section.split('\n## ')[0] ?? '');
  expect(rows.length).toBeGreaterThanOrEqual(3);
  const table = new Map<string, string>(
    LIMIT_NAMES.map((name) => {
      const { unit, default: value }: LimitRow = LIMITS[name];
      const text = written(value, unit);
      return [`\`${name}\``, unit === 'ms' || unit === 'MiB' ? `${text} ${unit}` : text];
    }),
  );
  expect(rows.map(([name, value]) => [name, value])).toEqual(
    rows.map(([name = '']) => [name, table.get(name)]),
  );
});

test.each(['getting-started.md', 'many-machines.md', 'errors.md'])(
  '%s, which speaks of limits, links to the table',
  (page) => {
    expect(pageOf(page)).toContain('](limits.md)');
  },
);
