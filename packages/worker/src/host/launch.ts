import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import type { SlotSettings } from '../slot.ts';

/** What a host process is told at its start. */
export interface HostSettings {
  readonly slots: number;
  readonly slot: SlotSettings;
}

/** The file descriptor of the pipe to the parent. */
export const HOST_PIPE = 3;

const runsFromSource = import.meta.url.endsWith('.ts');

/** Where a package is, as a module sees it: through a package manager's link, and in truth. */
function foldersOf(name: string, from: string): { linked: string; real: string } {
  const manifest = findPackageJSON(name, from);
  if (manifest === undefined) throw new Error(`${name} is not installed.`);
  return { linked: path.dirname(manifest), real: path.dirname(realpathSync(manifest)) };
}

/** The folders that a host must read from: its own package and the packages that it loads. */
function readablePaths(): Set<string> {
  const isolatedVm = foldersOf('isolated-vm', import.meta.url);
  const withinIsolatedVm = pathToFileURL(path.join(isolatedVm.real, 'package.json')).href;
  const packages = [
    foldersOf('.', import.meta.url),
    isolatedVm,
    foldersOf('node-gyp-build', withinIsolatedVm),
    foldersOf('piscina', import.meta.url),
    foldersOf('acorn', import.meta.url),
  ];
  return new Set([
    ...packages.flatMap(({ linked, real }) => [linked, real]),
    // node-gyp-build looks whether the machine runs on musl.
    '/etc/alpine-release',
  ]);
}

/** Node's flags for a host: nothing may be written, started or connected to. */
export function hostFlags(): string[] {
  return [
    // isolated-vm asks for it: shared read-only heaps of snapshots differ between isolates.
    '--no-node-snapshot',
    '--permission',
    '--allow-addons',
    '--allow-worker',
    ...Array.from(readablePaths(), (folder) => `--allow-fs-read=${folder}`),
    // Node warns of every permission given, and of its stripping of types.
    '--no-warnings',
    ...(runsFromSource ? ['--conditions=@glovebox/source'] : []),
  ];
}

/** Starts a host process with an empty environment and one pipe to its parent. */
export function launchHost(settings: HostSettings): ChildProcess {
  const entry = fileURLToPath(import.meta.resolve('@glovebox/worker/host'));
  return spawn(process.execPath, [...hostFlags(), entry, JSON.stringify(settings)], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
}
