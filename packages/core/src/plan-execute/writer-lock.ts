import { DatabaseSync } from 'node:sqlite';

import { GloveboxError } from '../shared/errors.ts';

/**
 * Sees to it that a session has one writer, over all processes of a machine. It is SQLite's lock on
 * an empty database: the kernel gives it up when its process dies, however that happens, so that
 * nobody has to guess whether a lock is a dead one. The empty file stays behind.
 */
export class WriterLock {
  readonly #database: DatabaseSync;

  /** @throws {GloveboxError} `PLAN_SESSION_BUSY`. */
  constructor(file: string, sessionId: string) {
    this.#database = new DatabaseSync(file, { timeout: 0 });
    try {
      this.#database.exec('BEGIN EXCLUSIVE');
    } catch (cause) {
      this.#database.close();
      if (!isBusy(cause)) throw cause;
      const message = `Session ${sessionId} is being written by someone else.`;
      throw new GloveboxError('PLAN_SESSION_BUSY', message, { cause });
    }
  }

  release(): void {
    this.#database.close();
  }
}

/** SQLITE_BUSY of https://www.sqlite.org/rescode.html */
const BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === BUSY;
}
