import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** How long whoever reads may take for the last of it, in milliseconds. */
const FLUSH_MS = 1000;

/**
 * Keeps standard output for a protocol: what else is written to it, by a module of the user's or by
 * `console.log`, goes to standard error from now on.
 *
 * @returns The one way to standard output.
 */
export function ownStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  const output = new Writable({
    decodeStrings: false,
    // One write waits for the other, so that whoever reads slowly slows the writer down.
    write: (chunk: string | Buffer, _encoding, done) => void write(chunk, done),
  });
  stdout.on('error', (error) => output.destroy(error));
  stdout.write = stderr.write.bind(stderr);
  return output;
}

/** Waits until all that was written is out, or nobody takes it. */
export async function flush(output: Writable): Promise<void> {
  const flushed = new Promise((resolve) => {
    output.end(resolve);
  });
  await Promise.race([flushed, delay(FLUSH_MS)]);
}
