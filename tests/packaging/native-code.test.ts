import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { runScript } from '../support/script.ts';

const FIXTURE = 'tests/fixtures/loads-native-code.ts';

/** The entry points of a package, by the names under which users import them. */
function entriesOf(name: string): string[] {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL(`../../packages/${name}/package.json`, import.meta.url), 'utf8'),
  );
  const { exports } = manifest as { readonly exports: Readonly<Record<string, unknown>> };
  return Object.keys(exports)
    .filter((entry) => entry !== './package.json')
    .map((entry) => `@glovebox/${name}${entry.slice(1)}`);
}

test('the trusted process loads no native code, whatever is imported and run', async () => {
  const entries = [...entriesOf('core'), ...entriesOf('serializer')];
  expect(entries).toContain('@glovebox/core/nats');
  const { stdout, stderr, code } = await runScript(FIXTURE, entries);
  expect({ loaded: stdout, stderr, code }).toEqual({ loaded: '[]', stderr: '', code: 0 });
}, 60_000);
