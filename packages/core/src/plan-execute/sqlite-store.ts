import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';

import { z } from 'zod';

import { checkOptions } from '../shared/check-options.ts';
import { checkSessionId, sessionExists, unknownSession } from './session-log.ts';
import type { SessionStore, SessionWriter } from './session-log.ts';
import { WriterLock } from './writer-lock.ts';

export interface SqliteSessionStoreOptions {
  /** The file of the database; it is made when it is not there. */
  readonly file: string;
  /**
   * `always` (default): every line is on the disk before it counts, which holds through a loss of
   * power. `never`: it is with the kernel, which holds through the death of the process.
   */
  readonly fsync?: 'always' | 'never' | undefined;
}

const optionsSchema = z.strictObject({
  file: z.string().min(1),
  fsync: z.enum(['always', 'never']).default('always'),
});

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS session_lines (
    session TEXT NOT NULL,
    place INTEGER NOT NULL,
    line TEXT NOT NULL,
    PRIMARY KEY (session, place)
  ) STRICT, WITHOUT ROWID;
`;

/** How long a write waits for those of other processes, in milliseconds. */
const BUSY_MS = 10_000;
/** Lines that are read at once. */
const PAGE = 256;

/** Keeps all sessions in one database of SQLite. */
export class SqliteSessionStore implements SessionStore, Disposable {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #count: StatementSync;

  /** @throws {GloveboxError} `INVALID_OPTIONS`. Throws what SQLite throws when it cannot open it. */
  constructor(options: SqliteSessionStoreOptions) {
    const { file, fsync } = checkOptions(optionsSchema, options, 'SqliteSessionStore');
    this.#file = file;
    this.#database = new DatabaseSync(file, { timeout: BUSY_MS });
    this.#database.exec(SCHEMA);
    this.#database.exec(`PRAGMA synchronous = ${fsync === 'always' ? 'FULL' : 'OFF'}`);
    this.#insert = this.#database.prepare('INSERT INTO session_lines VALUES (?, ?, ?)');
    this.#select = this.#database.prepare(
      `SELECT place, line FROM session_lines WHERE session = ? AND place > ?
       ORDER BY place LIMIT ${PAGE}`,
    );
    this.#count = this.#database.prepare(
      'SELECT coalesce(max(place), 0) AS lines FROM session_lines WHERE session = ?',
    );
  }

  // Async as the interface has it: what SQLite throws is a rejection.
  async create(sessionId: string, lines: readonly string[]): Promise<SessionWriter> {
    return this.#locked(sessionId, () => {
      if (this.#lines(sessionId) > 0) throw sessionExists(sessionId);
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        for (const [place, line] of lines.entries()) this.#insert.run(sessionId, place + 1, line);
        this.#database.exec('COMMIT');
      } catch (error) {
        this.#database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  async open(sessionId: string): Promise<SessionWriter> {
    if (this.#lines(sessionId) === 0) throw unknownSession(sessionId);
    return this.#locked(sessionId, () => undefined);
  }

  async *read(sessionId: string): AsyncGenerator<string> {
    let place = 0;
    for (;;) {
      const rows = this.#select.all(sessionId, place);
      for (const { line } of rows) yield String(line);
      if (rows.length < PAGE) break;
      place += PAGE;
    }
    if (place === 0 && this.#lines(sessionId) === 0) throw unknownSession(sessionId);
  }

  /** Closes the database. */
  close(): void {
    this.#database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #lines(sessionId: string): number {
    return Number(this.#count.get(sessionId)?.['lines']);
  }

  #locked(sessionId: string, begin: () => void): SessionWriter {
    const lock = new WriterLock(`${this.#file}.${checkSessionId(sessionId)}.lock`, sessionId);
    try {
      begin();
      let place = this.#lines(sessionId);
      return {
        append: async (line) => {
          this.#insert.run(sessionId, ++place, line);
        },
        close: async () => lock.release(),
      };
    } catch (error) {
      lock.release();
      throw error;
    }
  }
}
