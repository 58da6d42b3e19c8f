/**
 * Ends the process once all output is out: a module of the user's may have left something open that
 * would keep it alive.
 */
export function exit(code: number): void {
  process.exitCode = code;
  process.stdout.write('', () => process.stderr.write('', () => process.exit()));
}
