import { debuglog } from 'node:util';
import type { DebugLogger } from 'node:util';

import { plainText } from './plain-text.ts';

/**
 * Debug log of pools, hosts and runs. `NODE_DEBUG=glovebox` writes it to standard error. Check
 * `debugLog.enabled` before building the arguments of a line, so that a disabled log costs nothing.
 */
export const debugLog: DebugLogger = debuglog('glovebox');

/** Formats milliseconds for the debug log. */
export function ms(time: number): string {
  return `${time.toFixed(1)} ms`;
}

/** Formats untrusted text as one line without characters that control a terminal. */
export function inOneLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, ' ').trim();
}
