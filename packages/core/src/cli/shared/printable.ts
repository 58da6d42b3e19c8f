import { inspect } from 'node:util';

import { plainText } from '../../shared/plain-text.ts';

interface Stream {
  readonly isTTY?: boolean;
  hasColors?(): boolean;
}

/**
 * A value as text that cannot control a terminal, in colors where the stream has them. Text that would
 * control it, such as the message of an error, costs the value its colors.
 */
export function printable(value: unknown, stream: Stream): string {
  const options = { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity };
  const text = typeof value === 'string' ? value : inspect(value, options);
  const plain = plainText(text);
  const hasColors = stream.isTTY === true && stream.hasColors?.() === true;
  return hasColors && plain === text && typeof value !== 'string'
    ? inspect(value, { ...options, colors: true })
    : plain;
}
