import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { isDeepStrictEqual } from 'node:util';

import { codecs } from './codecs.ts';
import type { Codec } from './codecs.ts';
import type { Batch, Readiness } from './measure.ts';
import { payloads } from './payloads.ts';

/** The process of one codec and one payload: `contender.ts CODEC PAYLOAD`. Runs a batch when told. */

const BATCH_MS = 30;

function main(): void {
  const [codecName, payloadName] = process.argv.slice(2);
  const codec = codecs.find(({ name }) => name === codecName);
  const payload = payloads.find(({ name }) => name === payloadName);
  if (codec === undefined || payload === undefined) throw new Error('No such codec or payload.');
  const readiness = check(codec, payload.value);
  const count = readiness.outcome === 'throws' ? 0 : calibrate(codec, payload.value);
  process.on('message', () => {
    const start = performance.now();
    runRoundTrips(codec, payload.value, count);
    send({ ms: performance.now() - start, count });
  });
  send(readiness);
}

function send(message: Readiness | Batch): void {
  process.send?.(message);
}

function check(codec: Codec, value: unknown): Readiness {
  try {
    const encoded = codec.encode(value as never);
    let bytes: number | undefined;
    if (typeof encoded === 'string') bytes = Buffer.byteLength(encoded);
    else if (Buffer.isBuffer(encoded)) bytes = encoded.byteLength;
    const isExact = isDeepStrictEqual(codec.decode(encoded as never), value);
    return { bytes, outcome: isExact ? 'exact' : 'not exact' };
  } catch {
    return { bytes: undefined, outcome: 'throws' };
  }
}

/** Warms up for three batches, and tells how many round trips fill one. */
function calibrate(codec: Codec, value: unknown): number {
  let count = 0;
  const start = performance.now();
  while (performance.now() - start < 3 * BATCH_MS) {
    runRoundTrips(codec, value, 1);
    count++;
  }
  return Math.max(1, Math.round(count / 3));
}

function runRoundTrips({ encode, decode }: Codec, value: unknown, count: number): unknown {
  let last: unknown;
  for (let at = 0; at < count; at++) last = decode(encode(value as never) as never);
  return last;
}

main();
