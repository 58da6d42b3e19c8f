import { createHash } from 'node:crypto';

export interface QuarantineOptions {
  /** Number of hosts that code must kill to be quarantined; 5 by default. */
  readonly kills: number;
  /** The time window in which the kills count, in milliseconds; 60 000 by default. */
  readonly withinMs: number;
  /** How long the quarantine lasts, in milliseconds; 60 000 by default. */
  readonly forMs: number;
}

/** Code that is quarantined, or that has killed hosts and may be quarantined next. */
export interface QuarantineEntry {
  /** SHA-256 of the source, in hex. */
  readonly hash: string;
  /** Number of hosts that it has killed within the time window. */
  readonly kills: number;
  /** End of the quarantine, in milliseconds since 1970; undefined if it is not quarantined. */
  readonly until: number | undefined;
}

interface Record {
  kills: number[];
  until: number | undefined;
}

/** The most sources that are recorded; the oldest records are dropped first. */
const MAX_RECORDS = 1000;

/**
 * Refuses code that has repeatedly killed hosts within a short time. A host that was killed because
 * it exceeded its memory limit does not count: that is the normal end of such a run.
 */
export class Quarantine {
  readonly #options: QuarantineOptions;
  readonly #records = new Map<string, Record>();

  constructor(options: QuarantineOptions) {
    this.#options = options;
  }

  /** Records that code has killed a host. */
  record(code: string): void {
    this.recordHash(hashOf(code));
  }

  /** Records that code has killed a host on another machine. */
  recordHash(hash: string): void {
    const now = Date.now();
    const known = this.#records.get(hash);
    const since = now - this.#options.withinMs;
    const kills = [...(known?.kills ?? []).filter((at) => at > since), now];
    const isOver = kills.length >= this.#options.kills;
    // Deleted and set again, so that the map stays ordered by the time of the last kill.
    this.#records.delete(hash);
    this.#records.set(hash, { kills, until: isOver ? now + this.#options.forMs : undefined });
    for (const oldest of this.#records.keys()) {
      if (this.#records.size <= MAX_RECORDS) break;
      this.#records.delete(oldest);
    }
  }

  /** The entry of code that is quarantined now; undefined if it may run. */
  find(code: string): QuarantineEntry | undefined {
    // Avoids hashing the code of every run: usually there are no records.
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

  /** All records, ordered by the time of the last kill. */
  list(): QuarantineEntry[] {
    return Array.from(this.#records, ([hash, { kills, until }]) => ({
      hash,
      kills: kills.length,
      until,
    }));
  }

  /** Deletes the record of one source, by its hash, or all records. */
  clear(hash?: string): void {
    if (hash === undefined) this.#records.clear();
    else this.#records.delete(hash);
  }
}

/** SHA-256 of a source, in hex. */
export function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
