import { inspect } from 'node:util';

/** A value for people, on stdout: text as it is. */
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
