import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';

import { z } from 'zod';

import { checkOptions } from '../shared/check-options.ts';
import { checkSessionId, sessionExists, unknownSession } from './session-log.ts';
import type { SessionStore, SessionWriter } from './session-log.ts';
import { WriterLock } from './writer-lock.ts';

export interface SqliteSessionStoreOptions {
  /** The file of the database; it is created if it is missing. */
  readonly file: string;
  /**
   * `always` (default): a line is written when it is on disk; it survives a power failure.
   * `never`: a line is written when the kernel has it; it survives the death of the process only.
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

/** How long a write waits for writes of other processes, in milliseconds. */
const BUSY_MS = 10_000;
/** Number of lines per query. */
const PAGE_LINES = 256;

/** Stores all sessions in one SQLite database. */
export class SqliteSessionStore implements SessionStore, Disposable {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #count: StatementSync;

  /** @throws {GloveboxError} `INVALID_OPTIONS`; or what SQLite throws on opening the file. */
  constructor(options: SqliteSessionStoreOptions) {
    const { file, fsync } = checkOptions(optionsSchema, options, 'SqliteSessionStore');
    this.#file = file;
    this.#database = new DatabaseSync(file, { timeout: BUSY_MS });
    this.#database.exec(SCHEMA);
    this.#database.exec(`PRAGMA synchronous = ${fsync === 'always' ? 'FULL' : 'OFF'}`);
    this.#insert = this.#database.prepare('INSERT INTO session_lines VALUES (?, ?, ?)');
    this.#select = this.#database.prepare(
      `SELECT place, line FROM session_lines WHERE session = ? AND place > ?
       ORDER BY place LIMIT ${PAGE_LINES}`,
    );
    this.#count = this.#database.prepare(
      'SELECT coalesce(max(place), 0) AS lines FROM session_lines WHERE session = ?',
    );
  }

  // Async, so that errors of SQLite become rejections, as the interface requires.
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
      if (rows.length < PAGE_LINES) break;
      place += PAGE_LINES;
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
