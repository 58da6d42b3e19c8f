import type { Readable, Writable } from 'node:stream';

import { having } from '../../shared/check-options.ts';

/** What servers over a pair of streams take. */
export interface StreamOptions {
  /** Where messages come from, one a line; standard input by default. */
  readonly input?: Readable | undefined;
  /** Where answers go; standard output by default. Nothing else may be written to it. */
  readonly output?: Writable | undefined;
}

export const streamShape = {
  input: having<Readable>('on', 'a stream').optional(),
  output: having<Writable>('on', 'a stream').optional(),
};
