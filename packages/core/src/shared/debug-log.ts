import { debuglog } from 'node:util';
import type { DebugLogger } from 'node:util';

import { plainText } from './plain-text.ts';

/**
 * What pools, hosts and runs do, for whoever debugs them: `NODE_DEBUG=glovebox` writes it to standard
 * error. Ask `debugLog.enabled` before anything is built for a line: a log that is off costs nothing.
 */
export const debugLog: DebugLogger = debuglog('glovebox');

/** Milliseconds as the log has them. */
export function ms(time: number): string {
  return `${time.toFixed(1)} ms`;
}

/** Text that a host or guest may have had a hand in, as one line that cannot steer a terminal. */
export function inOneLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, ' ').trim();
}
