import { createReadStream } from 'node:fs';
import { mkdir, open, rename, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';

import { z } from 'zod';

import { checkOptions } from '../shared/check-options.ts';
import { checkSessionId, sessionExists, unknownSession } from './session-log.ts';
import type { SessionStore, SessionWriter } from './session-log.ts';
import { WriterLock } from './writer-lock.ts';

export interface FileSessionStoreOptions {
  /** Directory of the logs, `SESSION.ndjson` for each session. It is created if it is missing. */
  readonly directory: string;
  /**
   * `always` (default): a line is written when it is on disk; it survives a power failure.
   * `never`: a line is written when the kernel has it; it survives the death of the process only.
   */
  readonly fsync?: 'always' | 'never' | undefined;
}

const optionsSchema = z.strictObject({
  directory: z.string().min(1),
  fsync: z.enum(['always', 'never']).default('always'),
});

const NEWLINE = 0x0a;
const TAIL_BYTES = 64 * 1024;

/** Stores each session as an append-only file of lines. */
export class FileSessionStore implements SessionStore {
  readonly #directory: string;
  readonly #isSynced: boolean;

  /** @throws {GloveboxError} `INVALID_OPTIONS`. */
  constructor(options: FileSessionStoreOptions) {
    const { directory, fsync } = checkOptions(optionsSchema, options, 'FileSessionStore');
    this.#directory = directory;
    this.#isSynced = fsync === 'always';
  }

  async create(sessionId: string, lines: readonly string[]): Promise<SessionWriter> {
    await mkdir(this.#directory, { recursive: true });
    const file = this.#fileOf(sessionId);
    return this.#locked(sessionId, async () => {
      // No other process can create the file, because this one holds the lock.
      if (await exists(file)) throw sessionExists(sessionId);
      // Written to another file first, so that the log appears with all its first lines.
      const draft = `${file}.new`;
      const handle = await open(draft, 'w');
      try {
        await handle.writeFile(lines.map((line) => `${line}\n`).join(''));
        if (this.#isSynced) await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, file);
      if (this.#isSynced) await syncDirectory(this.#directory);
      return open(file, 'a');
    });
  }

  async open(sessionId: string): Promise<SessionWriter> {
    const file = this.#fileOf(sessionId);
    // Checked before the lock is taken, because the lock creates a file.
    if (!(await exists(file))) throw unknownSession(sessionId);
    return this.#locked(sessionId, async () => {
      const handle = await open(file, 'a+');
      await removeIncompleteLine(handle);
      return handle;
    });
  }

  async *read(sessionId: string): AsyncGenerator<string> {
    const file = this.#fileOf(sessionId);
    if (!(await exists(file))) throw unknownSession(sessionId);
    // Not `node:readline`: it treats other characters than a newline as the end of a line, too.
    let parts: string[] = [];
    const chunks: AsyncIterable<string> = createReadStream(file, 'utf8');
    for await (const chunk of chunks) {
      const lines = chunk.split('\n');
      const rest = lines.pop() ?? '';
      for (const line of lines) {
        yield parts.join('') + line;
        parts = [];
      }
      // Text after the last newline is an incomplete line and is never yielded.
      parts.push(rest);
    }
  }

  async #locked(sessionId: string, openFile: () => Promise<FileHandle>): Promise<SessionWriter> {
    const lock = new WriterLock(path.join(this.#directory, `${sessionId}.lock`), sessionId);
    try {
      return new FileWriter(await openFile(), lock, this.#isSynced);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  #fileOf(sessionId: string): string {
    return path.join(this.#directory, `${checkSessionId(sessionId)}.ndjson`);
  }
}

class FileWriter implements SessionWriter {
  readonly #handle: FileHandle;
  readonly #lock: WriterLock;
  readonly #isSynced: boolean;

  constructor(handle: FileHandle, lock: WriterLock, isSynced: boolean) {
    this.#handle = handle;
    this.#lock = lock;
    this.#isSynced = isSynced;
  }

  async append(line: string): Promise<void> {
    await this.#handle.appendFile(`${line}\n`);
    if (this.#isSynced) await this.#handle.datasync();
  }

  async close(): Promise<void> {
    try {
      await this.#handle.close();
    } finally {
      this.#lock.release();
    }
  }
}

/** Removes an incomplete last line: its writer died before the line was confirmed. */
async function removeIncompleteLine(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat();
  const buffer = Buffer.alloc(TAIL_BYTES);
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - TAIL_BYTES);
    await handle.read(buffer, 0, end - start, start);
    const place = buffer.subarray(0, end - start).lastIndexOf(NEWLINE);
    if (place >= 0) {
      if (start + place + 1 < size) await handle.truncate(start + place + 1);
      return;
    }
    end = start;
  }
  await handle.truncate(0);
}

/** Makes the directory entry of a new file survive a power failure. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
