import { DatabaseSync } from 'node:sqlite';

import { GloveboxError } from '../shared/errors.ts';

/**
 * Allows one writer per session, over all processes of a machine. It is a SQLite lock on an empty
 * database. The kernel releases the lock when its process dies for any reason, so there are no
 * stale locks. The empty file remains.
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
      const message = `Session ${sessionId} is being written by another process or run.`;
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
