import { Writable } from 'node:stream';

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
