import { readFileSync } from 'node:fs';

import { OPTIONAL_GLOBALS, PROVIDED_GLOBALS } from '@glovebox/protocol/guest-globals';
import { expect, test } from 'vitest';

const page = readFileSync(new URL('../../docs/getting-started.md', import.meta.url), 'utf8');

test('the page names every global that a guest has, or may be given, beyond the language', () => {
  const [, after = ''] = page.split('\n## The world of a guest\n');
  const [section = ''] = after.split('\n## ');
  const named = new Set(Array.from(section.matchAll(/`(\w+)[^`]*`/g), ([, name]) => name));
  const missing = [...PROVIDED_GLOBALS, ...OPTIONAL_GLOBALS].filter((name) => !named.has(name));
  expect(missing).toEqual([]);
});
