import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** How long `flush` waits for the reader to take the last output, in milliseconds. */
const FLUSH_MS = 1000;

/**
 * Reserves standard output for a protocol. From now on, everything else that the process writes to
 * it, such as `console.log` in the user's module, goes to standard error.
 *
 * @returns The only stream that still writes to standard output.
 */
export function reserveStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  const output = new Writable({
    decodeStrings: false,
    // A write ends when stdout has taken it: a slow reader causes back-pressure.
    write: (chunk: string | Buffer, _encoding, done) => void write(chunk, done),
  });
  stdout.on('error', (error) => output.destroy(error));
  stdout.write = stderr.write.bind(stderr);
  return output;
}

/** Ends the stream and waits until all its output is written, for at most `FLUSH_MS`. */
export async function flush(output: Writable): Promise<void> {
  const flushed = new Promise((resolve) => {
    output.end(resolve);
  });
  await Promise.race([flushed, delay(FLUSH_MS)]);
}
