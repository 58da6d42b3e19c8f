import { spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import type { HostSettings } from '@glovebox/protocol/host-messages';

import { nextInspector } from './host-inspector.ts';
import type { HostInspector } from './host-inspector.ts';

const runsFromSource = import.meta.url.endsWith('.ts');

/** Where a package is, as a module sees it: through a package manager's link, and in truth. */
function foldersOf(name: string, from: string): { linked: string; real: string } {
  const manifest = findPackageJSON(name, from);
  if (manifest === undefined) throw new Error(`${name} is not installed.`);
  return { linked: path.dirname(manifest), real: path.dirname(realpathSync(manifest)) };
}

/** What stands for a module of a package. */
function manifestIn(folder: string): string {
  return pathToFileURL(path.join(folder, 'package.json')).href;
}

/** The folders that a host must read from: the worker's package and the packages that it loads. */
function readablePaths(): Set<string> {
  const worker = foldersOf('@glovebox/worker', import.meta.url);
  const isolatedVm = foldersOf('isolated-vm', manifestIn(worker.real));
  const packages = [
    worker,
    isolatedVm,
    foldersOf('node-gyp-build', manifestIn(isolatedVm.real)),
    foldersOf('piscina', manifestIn(worker.real)),
    foldersOf('acorn', manifestIn(worker.real)),
    // Bundled into the worker when it is built.
    ...(runsFromSource ? [foldersOf('@glovebox/protocol', manifestIn(worker.real))] : []),
  ];
  return new Set([
    ...packages.flatMap(({ linked, real }) => [linked, real]),
    // node-gyp-build looks whether the machine runs on musl.
    '/etc/alpine-release',
  ]);
}

export interface LaunchOptions {
  /** `false` runs guests in V8's interpreter: no machine code is made, and loops are far slower. */
  readonly jit?: boolean | undefined;
  /** Starts the process in place of Node's `spawn`, to wrap it in a further box. */
  readonly spawn?: SpawnHost | undefined;
}

/**
 * Starts a host process. It must keep the file descriptors from 3 on, which are pipes to the parent:
 * one for the host, and one for each slot. The process that it returns must end when the host ends, and end the host when it is killed.
 */
export type SpawnHost = (
  command: string,
  args: readonly string[],
  options: SpawnOptions,
) => ChildProcess;

/** Node's flags for a host: nothing may be written, started or connected to. */
function hostFlags(options: LaunchOptions, inspector: HostInspector | undefined): string[] {
  return [
    // isolated-vm asks for it: shared read-only heaps of snapshots differ between isolates.
    '--no-node-snapshot',
    // A tenth of an isolate's price. Strings of a snapshot keep the seed of their hashes, which lets
    // guests slow down their own tables and nobody else's.
    '--no-rehash-snapshot',
    '--permission',
    '--allow-addons',
    '--allow-worker',
    ...Array.from(readablePaths(), (folder) => `--allow-fs-read=${folder}`),
    // Node warns of every permission given, and of its stripping of types.
    '--no-warnings',
    ...(options.jit === false ? ['--jitless'] : []),
    ...(runsFromSource ? ['--conditions=@glovebox/source'] : []),
    ...(inspector?.flags ?? []),
  ];
}

/**
 * Starts a host process with an empty environment and its pipes to the parent. With
 * `GLOVEBOX_INSPECT=1`, or a port, in the environment of this process, Node's inspector is open in
 * it: for local debugging only.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS`: an inspector is asked for where there must be none.
 */
export function launchHost(settings: HostSettings, options: LaunchOptions = {}): ChildProcess {
  const entry = fileURLToPath(import.meta.resolve('@glovebox/worker/host'));
  const inspector = nextInspector();
  const args = [...hostFlags(options, inspector), entry, JSON.stringify(settings)];
  const child = (options.spawn ?? spawn)(process.execPath, args, {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', ...Array<'pipe'>(settings.slots).fill('pipe')],
    windowsHide: true,
  });
  inspector?.attach(child);
  return child;
}
