import type { Readable, Writable } from 'node:stream';

import { having } from '../../shared/check-options.ts';

/** Options of servers that use a pair of streams. */
export interface StreamOptions {
  /** Stream of messages, one per line; standard input by default. */
  readonly input?: Readable | undefined;
  /** Stream for responses; standard output by default. Nothing else may write to it. */
  readonly output?: Writable | undefined;
}

export const streamShape = {
  input: having<Readable>('on', 'a stream').optional(),
  output: having<Writable>('on', 'a stream').optional(),
};
