import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a contender found out before its first batch. */
export interface Readiness {
  /** Size of what was written, in bytes. */
  readonly bytes: number | undefined;
  /** Whether what was read is what was written; otherwise what went wrong. */
  readonly outcome: 'exact' | 'not exact' | 'throws';
}

/** A batch of round trips. */
export interface Batch {
  readonly ms: number;
  readonly count: number;
}

export interface Measurement extends Readiness {
  readonly codec: string;
  /** Milliseconds of one round trip: the median of the batches. */
  readonly medianMs: number;
  /** Half the distance between the quartiles, as a part of the median. */
  readonly spread: number;
  /** Round trips measured. */
  readonly count: number;
}

const BATCHES = 21;

/**
 * Measures codecs on one payload. Each has a process of its own, as the garbage of one would slow the
 * others down; their batches take turns, so that what else happens on the machine happens to all.
 */
export async function measure(codecs: readonly string[], payload: string): Promise<Measurement[]> {
  const contenders: Contender[] = [];
  for (const codec of codecs) contenders.push(await Contender.start(codec, payload));
  for (let batch = 0; batch < BATCHES; batch++) {
    for (const contender of contenders) await contender.runBatch();
  }
  return contenders.map((contender) => contender.end());
}

class Contender {
  readonly #codec: string;
  readonly #process: ChildProcess;
  readonly #readiness: Readiness;
  readonly #batches: Batch[] = [];

  private constructor(codec: string, process: ChildProcess, readiness: Readiness) {
    this.#codec = codec;
    this.#process = process;
    this.#readiness = readiness;
  }

  static async start(codec: string, payload: string): Promise<Contender> {
    const script = fileURLToPath(new URL('contender.ts', import.meta.url));
    const process = fork(script, [codec, payload]);
    // What the script below sends first.
    const [readiness] = (await once(process, 'message')) as [Readiness];
    return new Contender(codec, process, readiness);
  }

  async runBatch(): Promise<void> {
    if (this.#readiness.outcome === 'throws') return;
    this.#process.send('batch');
    // What it answers.
    const [batch] = (await once(this.#process, 'message')) as [Batch];
    this.#batches.push(batch);
  }

  end(): Measurement {
    this.#process.disconnect();
    const sorted = this.#batches
      .map(({ ms, count }) => ms / count)
      .toSorted((one, other) => one - other);
    const at = (part: number): number =>
      sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
    const medianMs = at(0.5);
    return {
      ...this.#readiness,
      codec: this.#codec,
      medianMs,
      spread: (at(0.75) - at(0.25)) / 2 / medianMs,
      count: this.#batches.reduce((sum, { count }) => sum + count, 0),
    };
  }
}
