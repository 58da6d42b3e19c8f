import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const PRLIMIT = ['/usr/bin/prlimit', '/bin/prlimit'].find((file) => existsSync(file));
const KIB = 1024;

/**
 * Has the kernel refuse a process more writable memory than it has now and may use besides: for the
 * times when its parent is too busy to watch. Needs Linux's `prlimit`; does nothing elsewhere.
 *
 * @param allowance Bytes beyond what the process has at this moment, or Infinity to lift the limit.
 */
export function limitMemory(pid: number, allowance: number): void {
  if (PRLIMIT === undefined) return;
  const used = dataBytes(pid);
  if (used === undefined) return;
  const limit = Number.isFinite(allowance) ? String(used + allowance) : 'unlimited';
  // Only the soft limit, so that it can be lifted again. A process that is gone cannot be limited.
  execFile(PRLIMIT, ['--pid', String(pid), `--data=${limit}:`], () => undefined).unref();
}

/** What the kernel counts against the limit: private writable memory, reserved or used. */
function dataBytes(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kib = /^VmData:\s+(?<kib>\d+) kB$/m.exec(status)?.groups?.['kib'];
    return kib === undefined ? undefined : Number(kib) * KIB;
  } catch {
    return undefined;
  }
}
