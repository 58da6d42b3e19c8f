import { printable } from './printable.ts';

/**
 * Prints a value on stdout in a readable form. A string is printed without quotes: as it is where stdout
 * is no terminal, so that files and pipes get it exactly.
 */
export function printValue(value: unknown): void {
  const isExact = typeof value === 'string' && !process.stdout.isTTY;
  const text = isExact ? value : printable(value, process.stdout);
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}
