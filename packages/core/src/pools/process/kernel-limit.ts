import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const PRLIMIT = ['/usr/bin/prlimit', '/bin/prlimit'].find((file) => existsSync(file));
const KIB = 1024;

/**
 * Sets the kernel's limit for the writable memory of a process. It protects the machine while the
 * parent is too busy to check the memory itself. Needs Linux's `prlimit`; does nothing elsewhere.
 *
 * @param allowance Bytes that the process may allocate in addition to what it has now; Infinity
 *   removes the limit.
 */
export function limitMemory(pid: number, allowance: number): void {
  if (PRLIMIT === undefined) return;
  const used = dataBytes(pid);
  if (used === undefined) return;
  const limit = Number.isFinite(allowance) ? String(used + allowance) : 'unlimited';
  // Sets only the soft limit, so that it can be raised again. If the process has exited, the command
  // fails, which does not matter.
  execFile(PRLIMIT, ['--pid', String(pid), `--data=${limit}:`], () => undefined).unref();
}

/** The memory that the kernel compares with the limit: private and writable, reserved or used. */
function dataBytes(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kib = /^VmData:\s+(?<kib>\d+) kB$/m.exec(status)?.groups?.['kib'];
    return kib === undefined ? undefined : Number(kib) * KIB;
  } catch {
    return undefined;
  }
}
