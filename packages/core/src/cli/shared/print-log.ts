import { styleText } from 'node:util';

import type { LogEntry } from '../../executor/outcome.ts';
import { plainText } from '../../shared/plain-text.ts';

/** Prints one log entry of a guest on stderr. */
export function printLog({ level, text }: LogEntry): void {
  const color = level === 'error' ? 'red' : level === 'warn' ? 'yellow' : 'dim';
  process.stderr.write(`${styleText(color, plainText(text), { stream: process.stderr })}\n`);
}
