import { inspect } from 'node:util';

/** Prints a value on stdout in a readable form. A string is printed without quotes. */
export function printValue(value: unknown): void {
  const colors = process.stdout.isTTY && process.stdout.hasColors();
  const text =
    typeof value === 'string'
      ? value
      : inspect(value, {
          depth: Infinity,
          maxArrayLength: Infinity,
          maxStringLength: Infinity,
          colors,
        });
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}
