import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { rolldown } from 'rolldown';

const worker = path.join(import.meta.dirname, '../packages/worker');
const entry = path.join(worker, 'src/guest/runtime.ts');
const output = path.join(worker, 'src/generated/guest-runtime.ts');

/**
 * Bundles the guest runtime, serializer included, into one script and writes it as a TypeScript
 * module that exports the script's text. The file is rewritten only when its content changes.
 */
export async function generateGuestRuntime(): Promise<void> {
  if (!existsSync(entry)) return;
  const bundle = await rolldown({
    input: entry,
    platform: 'neutral',
    resolve: { conditionNames: ['@glovebox/source', 'import'] },
  });
  const { output: chunks } = await bundle.generate({
    format: 'iife',
    name: 'bootGuest',
    exports: 'default',
    minify: true,
  });
  await bundle.close();
  const [chunk, ...others] = chunks;
  if (others.length > 0) throw new Error('The guest runtime must bundle into one file.');
  const text = [
    '// Written by scripts/generate-guest-runtime.ts; not to be edited.',
    '/** The guest runtime as one script, serializer included. */',
    `export const GUEST_RUNTIME_SOURCE: string = ${JSON.stringify(chunk.code.trim())};`,
    '',
  ].join('\n');
  const current = await readFile(output, 'utf8').catch(() => '');
  if (current === text) return;
  await mkdir(path.dirname(output), { recursive: true });
  await writeFile(output, text);
}

if (import.meta.main) await generateGuestRuntime();
