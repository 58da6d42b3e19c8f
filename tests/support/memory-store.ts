import { GloveboxError } from '@glovebox/core';
import type { SessionStore, SessionWriter } from '@glovebox/core';

/** A store within a test, which counts what it is asked, and can fail. */
export class MemoryStore implements SessionStore {
  readonly sessions = new Map<string, string[]>();
  reads = 0;
  linesRead = 0;
  bytesWritten = 0;
  /** The line, counted from 1 with the header, that cannot be written. */
  failsAt = Infinity;
  /** Whether it fails once only. */
  recovers = false;

  async create(sessionId: string, lines: readonly string[]): Promise<SessionWriter> {
    if (this.sessions.has(sessionId)) throw new GloveboxError('PLAN_SESSION_EXISTS', 'taken');
    const kept = [...lines];
    this.sessions.set(sessionId, kept);
    return this.#writer(kept);
  }

  async open(sessionId: string): Promise<SessionWriter> {
    return this.#writer(this.#find(sessionId));
  }

  async *read(sessionId: string): AsyncGenerator<string> {
    this.reads++;
    for (const line of this.#find(sessionId)) {
      this.linesRead++;
      yield line;
    }
  }

  #find(sessionId: string): string[] {
    const lines = this.sessions.get(sessionId);
    if (lines === undefined) throw new GloveboxError('PLAN_SESSION_UNKNOWN', 'unknown');
    return lines;
  }

  #writer(lines: string[]): SessionWriter {
    return {
      append: async (line) => {
        if (lines.length + 1 >= this.failsAt) {
          if (this.recovers) this.failsAt = Infinity;
          throw new Error('no space left');
        }
        this.bytesWritten += line.length;
        lines.push(line);
      },
      close: async () => undefined,
    };
  }
}
