/**
 * Ends the process when all output is written. Without this, a timer or connection that the user's
 * module left open would keep the process alive.
 */
export function exit(code: number): void {
  process.exitCode = code;
  process.stdout.write('', () => process.stderr.write('', () => process.exit()));
}
