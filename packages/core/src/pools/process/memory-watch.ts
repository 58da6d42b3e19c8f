import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

/** How often the memory of busy hosts is read. */
export const MEMORY_CHECK_MS = 25;

/** The page size, which is the unit of `/proc/PID/statm`. */
const PAGE_BYTES = 4096;

/** Reads a process's resident memory from Linux's `/proc`, through a file that stays open. */
export class ResidentMemory {
  readonly #file: number | undefined;
  readonly #buffer = Buffer.alloc(128);

  constructor(pid: number) {
    try {
      this.#file = openSync(`/proc/${pid}/statm`, 'r');
    } catch {
      // Not Linux, or the process is gone.
      this.#file = undefined;
    }
  }

  /** Resident bytes, or undefined if they cannot be read. */
  read(): number | undefined {
    if (this.#file === undefined) return undefined;
    try {
      const length = readSync(this.#file, this.#buffer, 0, this.#buffer.length, 0);
      const pages = Number(this.#buffer.toString('latin1', 0, length).split(' ')[1]);
      return Number.isFinite(pages) ? pages * PAGE_BYTES : undefined;
    } catch {
      return undefined;
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

/** Whether this system lets a process read the memory usage of another one. */
export function canWatchMemory(): boolean {
  try {
    readFileSync('/proc/self/statm');
    return true;
  } catch {
    return false;
  }
}
