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

/** The folder of a package as a module resolves it: `linked` may contain symbolic links. */
function foldersOf(name: string, from: string): { linked: string; real: string } {
  const manifest = findPackageJSON(name, from);
  if (manifest === undefined) throw new Error(`${name} is not installed.`);
  return { linked: path.dirname(manifest), real: path.dirname(realpathSync(manifest)) };
}

/** A URL that can be used as the referrer when resolving from a package. */
function manifestIn(folder: string): string {
  return pathToFileURL(path.join(folder, 'package.json')).href;
}

/** The paths that a host must read: the worker package and the packages that it loads. */
function readablePaths(): Set<string> {
  const worker = foldersOf('@glovebox/worker', import.meta.url);
  const isolatedVm = foldersOf('isolated-vm', manifestIn(worker.real));
  const packages = [
    worker,
    isolatedVm,
    foldersOf('node-gyp-build', manifestIn(isolatedVm.real)),
    foldersOf('piscina', manifestIn(worker.real)),
    foldersOf('acorn', manifestIn(worker.real)),
    // The built worker contains it.
    ...(runsFromSource ? [foldersOf('@glovebox/protocol', manifestIn(worker.real))] : []),
  ];
  return new Set([
    ...packages.flatMap(({ linked, real }) => [linked, real]),
    // node-gyp-build reads this file to detect musl.
    '/etc/alpine-release',
  ]);
}

export interface LaunchOptions {
  /**
   * `false` runs guests in V8's interpreter, without the JIT compiler: the attack surface is smaller,
   * and loops are far slower. `true` by default.
   */
  readonly jit?: boolean | undefined;
  /** Replaces Node's `spawn`, for example to start the host in another sandbox. */
  readonly spawn?: SpawnHost | undefined;
}

/**
 * Starts a host process. It must pass on the file descriptors from 3 on, which are pipes to the
 * parent: one for the host, and one for each slot. The process that it returns must end when the
 * host ends, and must end the host when it is killed.
 */
export type SpawnHost = (
  command: string,
  args: readonly string[],
  options: SpawnOptions,
) => ChildProcess;

/** Node's flags for a host. They forbid writing files, starting processes and network connections. */
function hostFlags(options: LaunchOptions, inspector: HostInspector | undefined): string[] {
  return [
    // Required by isolated-vm: its isolates cannot share the read-only heap of Node's own snapshot.
    '--no-node-snapshot',
    // Makes creating an isolate 10 % cheaper. All isolates then use the same hash seed, so a guest
    // can provoke hash collisions, but only in its own isolate.
    '--no-rehash-snapshot',
    '--permission',
    '--allow-addons',
    '--allow-worker',
    ...Array.from(readablePaths(), (folder) => `--allow-fs-read=${folder}`),
    // Node warns about each permission and about type stripping.
    '--no-warnings',
    ...(options.jit === false ? ['--jitless'] : []),
    ...(runsFromSource ? ['--conditions=@glovebox/source'] : []),
    ...(inspector?.flags ?? []),
  ];
}

/**
 * Starts a host process with an empty environment and its pipes to the parent. If `GLOVEBOX_INSPECT`
 * is set to 1 or a port in the environment of this process, the host starts with Node's inspector:
 * for local debugging only.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS`: `GLOVEBOX_INSPECT` is invalid, or set in production.
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
