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
  /** Where the logs are: `SESSION.ndjson` for each session. It is made when it is not there. */
  readonly directory: string;
  /**
   * `always` (default): every line is on the disk before it counts, which holds through a loss of
   * power. `never`: it is with the kernel, which holds through the death of the process.
   */
  readonly fsync?: 'always' | 'never' | undefined;
}

const optionsSchema = z.strictObject({
  directory: z.string().min(1),
  fsync: z.enum(['always', 'never']).default('always'),
});

const NEWLINE = 0x0a;
const TAIL_BYTES = 64 * 1024;

/** Keeps each session as a file of lines that is only ever added to. */
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
      // Nobody else makes the file: the lock is ours.
      if (await exists(file)) throw sessionExists(sessionId);
      // A log is there with its first lines or not at all.
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
    // Before the lock, which would leave a file.
    if (!(await exists(file))) throw unknownSession(sessionId);
    return this.#locked(sessionId, async () => {
      const handle = await open(file, 'a+');
      await cutTornLine(handle);
      return handle;
    });
  }

  async *read(sessionId: string): AsyncGenerator<string> {
    const file = this.#fileOf(sessionId);
    if (!(await exists(file))) throw unknownSession(sessionId);
    // Not `node:readline`: it takes more than a newline for the end of a line.
    let parts: string[] = [];
    const chunks: AsyncIterable<string> = createReadStream(file, 'utf8');
    for await (const chunk of chunks) {
      const lines = chunk.split('\n');
      const rest = lines.pop() ?? '';
      for (const line of lines) {
        yield parts.join('') + line;
        parts = [];
      }
      // What is left at the end was not written to its end, and does not count.
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

/** Takes away what stands behind the last newline: a line that nobody was told is written. */
async function cutTornLine(handle: FileHandle): Promise<void> {
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

/** So that the name of a new file holds through a loss of power. */
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
