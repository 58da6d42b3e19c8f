import { createHash } from 'node:crypto';

export interface QuarantineOptions {
  /** How many hosts code may kill before it is kept out; 5 by default. */
  readonly kills: number;
  /** Within how many milliseconds; 60 000 by default. */
  readonly withinMs: number;
  /** For how many milliseconds it is kept out; 60 000 by default. */
  readonly forMs: number;
}

/** Code that is kept out, or on its way there. */
export interface QuarantineEntry {
  /** SHA-256 of the source, in hex. */
  readonly hash: string;
  /** Hosts that it has killed of late. */
  readonly kills: number;
  /** When it is let in again, in milliseconds since 1970; undefined while it is still let in. */
  readonly until: number | undefined;
}

interface Record {
  kills: number[];
  until: number | undefined;
}

/** How many sources are remembered; the oldest are forgotten first. */
const MAX_RECORDS = 1000;

/**
 * Keeps out code that has just killed hosts again and again. A host that was killed for its memory
 * does not count: that is the orderly end of a run over its limit.
 */
export class Quarantine {
  readonly #options: QuarantineOptions;
  readonly #records = new Map<string, Record>();

  constructor(options: QuarantineOptions) {
    this.#options = options;
  }

  /** Notes that code has killed a host. */
  record(code: string): void {
    this.recordHash(hashOf(code));
  }

  /** Notes that code has killed a host somewhere else. */
  recordHash(hash: string): void {
    const now = Date.now();
    const known = this.#records.get(hash);
    const since = now - this.#options.withinMs;
    const kills = [...(known?.kills ?? []).filter((at) => at > since), now];
    const isOver = kills.length >= this.#options.kills;
    // Set anew, so that the map stays in the order of the last kill.
    this.#records.delete(hash);
    this.#records.set(hash, { kills, until: isOver ? now + this.#options.forMs : undefined });
    for (const oldest of this.#records.keys()) {
      if (this.#records.size <= MAX_RECORDS) break;
      this.#records.delete(oldest);
    }
  }

  /** The entry of code that is kept out now. */
  find(code: string): QuarantineEntry | undefined {
    // Hashing is not for the path of every run: mostly nothing is remembered.
    if (this.#records.size === 0) return undefined;
    const hash = hashOf(code);
    const record = this.#records.get(hash);
    if (record?.until === undefined) return undefined;
    if (record.until <= Date.now()) {
      this.#records.delete(hash);
      return undefined;
    }
    return { hash, kills: record.kills.length, until: record.until };
  }

  /** Everything that is remembered, the latest last. */
  list(): QuarantineEntry[] {
    return Array.from(this.#records, ([hash, { kills, until }]) => ({
      hash,
      kills: kills.length,
      until,
    }));
  }

  /** Forgets one source by its hash, or all. */
  clear(hash?: string): void {
    if (hash === undefined) this.#records.clear();
    else this.#records.delete(hash);
  }
}

/** SHA-256 of a source, in hex. */
export function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
