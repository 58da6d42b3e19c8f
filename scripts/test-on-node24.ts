/** Runs the tests under the newest Node 24, the oldest release that is supported. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const folder = path.join(tmpdir(), 'glovebox-node24');

// The npm package `node` contains the binary. Installed with npm, which is independent of pnpm.
mkdirSync(folder, { recursive: true });
writeFileSync(path.join(folder, 'package.json'), '{ "private": true }');
execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', 'node@24'], {
  cwd: folder,
  stdio: 'inherit',
});
const node = path.join(folder, 'node_modules/node/bin/node');
const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
process.stdout.write(`Testing with Node ${version}\n`);
const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(node, [vitest, 'run', '--project', 'main', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
