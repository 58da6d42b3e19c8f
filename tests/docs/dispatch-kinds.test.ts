import { readFileSync } from 'node:fs';

import { DISPATCH_CHANNELS, DISPATCH_KINDS } from '@glovebox/core';
import { expect, test } from 'vitest';

const page = readFileSync(new URL('../../docs/tools.md', import.meta.url), 'utf8');

const RETRYABLE = { true: 'yes', false: 'no', idempotent: 'where `idempotent`' };

test('the page has every kind of error of a dispatch, with code, retries and when it comes', () => {
  const rows = page.split('\n').flatMap((line): string[][] => {
    const cells = line.split('|').map((cell) => cell.trim());
    const [, kind = '', code = '', retryable = '', when = '', advice = ''] = cells;
    return /^`[a-z_]+`$/.test(kind) && /^-\d+$/.test(code) && advice !== ''
      ? [[kind.slice(1, -1), code, retryable, when]]
      : [];
  });
  const table = Object.entries(DISPATCH_KINDS).map(([kind, { jsonRpcCode, retryable, when }]) => [
    kind,
    String(jsonRpcCode),
    RETRYABLE[`${retryable}`],
    when,
  ]);
  expect(rows).toEqual(table);
});

test('the page has every channel of the events', () => {
  const channels = page.matchAll(/^\| `(glovebox:dispatch:\w+)`/gm);
  const names = Array.from(channels, ([, name]) => name);
  expect(new Set(names)).toEqual(new Set(Object.values(DISPATCH_CHANNELS)));
});
