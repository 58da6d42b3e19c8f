import { performance } from 'node:perf_hooks';
import { isDeepStrictEqual } from 'node:util';
import type { Codec } from './codecs.ts';

export interface Measurement {
  readonly codec: string;
  /** Milliseconds of one round trip: the median of the batches. */
  readonly medianMs: number;
  /** Half the distance between the quartiles, as a part of the median. */
  readonly spread: number;
  /** Round trips measured. */
  readonly count: number;
  /** Size of what was written, in bytes. */
  readonly bytes: number | undefined;
  /** Whether what was read is what was written; otherwise what went wrong. */
  readonly outcome: 'exact' | 'not exact' | 'throws';
}

const BATCH_MS = 30;
const BATCHES = 21;

/**
 * Measures all codecs on one value. The batches of all codecs take turns, so that what else happens
 * on the machine happens to all of them.
 */
export function measure(codecs: readonly Codec[], value: unknown): Measurement[] {
  const runners = codecs.map((codec) => new Runner(codec, value));
  for (let batch = 0; batch < BATCHES; batch++) for (const runner of runners) runner.runBatch();
  return runners.map((runner) => runner.result());
}

class Runner {
  readonly #codec: Codec;
  readonly #value: unknown;
  readonly #times: number[] = [];
  #perBatch = 0;
  #bytes: number | undefined;
  #outcome: Measurement['outcome'];

  constructor(codec: Codec, value: unknown) {
    this.#codec = codec;
    this.#value = value;
    this.#outcome = this.#check();
    if (this.#outcome !== 'throws') this.#perBatch = this.#calibrate();
  }

  #check(): Measurement['outcome'] {
    try {
      const encoded = this.#codec.encode(this.#value as never);
      if (typeof encoded === 'string') this.#bytes = Buffer.byteLength(encoded);
      else if (Buffer.isBuffer(encoded)) this.#bytes = encoded.byteLength;
      return isDeepStrictEqual(this.#codec.decode(encoded as never), this.#value)
        ? 'exact'
        : 'not exact';
    } catch {
      return 'throws';
    }
  }

  /** Warms up for a batch and a half, and tells how many round trips fill a batch. */
  #calibrate(): number {
    let count = 0;
    const start = performance.now();
    while (performance.now() - start < 1.5 * BATCH_MS) {
      this.#roundTrips(1);
      count++;
    }
    return Math.max(1, Math.round(count / 1.5));
  }

  #roundTrips(count: number): unknown {
    const { encode, decode } = this.#codec;
    let last: unknown;
    for (let at = 0; at < count; at++) last = decode(encode(this.#value as never) as never);
    return last;
  }

  runBatch(): void {
    if (this.#perBatch === 0) return;
    const start = performance.now();
    this.#roundTrips(this.#perBatch);
    this.#times.push((performance.now() - start) / this.#perBatch);
  }

  result(): Measurement {
    const sorted = this.#times.toSorted((one, other) => one - other);
    const at = (part: number): number =>
      sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
    const medianMs = at(0.5);
    return {
      codec: this.#codec.name,
      medianMs,
      spread: (at(0.75) - at(0.25)) / 2 / medianMs,
      count: this.#perBatch * sorted.length,
      bytes: this.#bytes,
      outcome: this.#outcome,
    };
  }
}
