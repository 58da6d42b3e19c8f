import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

const WORKSPACE = new URL('../../', import.meta.url);

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a file of this workspace in a Node process of its own, with the sources as they are. */
export function startScript(
  file: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const flags = ['--conditions=@glovebox/source', '--no-warnings'];
  return spawn(process.execPath, [...flags, file, ...args], {
    cwd: WORKSPACE,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

async function read(stream: Readable | null): Promise<string> {
  return stream === null ? '' : text(stream);
}

/** Collects what a process writes until it ends; it is killed when it takes too long. */
export async function finish(child: ChildProcess, withinMs = 20_000): Promise<Finished> {
  const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
  const ended = new Promise<Pick<Finished, 'code' | 'signal'>>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  const [stdout, stderr, how] = await Promise.all([read(child.stdout), read(child.stderr), ended]);
  clearTimeout(timer);
  return { ...how, stdout, stderr };
}

export async function runScript(
  file: string,
  args: readonly string[] = [],
  input = '',
): Promise<Finished> {
  const child = startScript(file, args);
  child.stdin?.end(input);
  return finish(child);
}
