import type { Readable, Writable } from 'node:stream';

import { z } from 'zod';

/** What servers over a pair of streams take. */
export interface StreamOptions {
  /** Where messages come from, one a line; standard input by default. */
  readonly input?: Readable | undefined;
  /** Where answers go; standard output by default. Nothing else may be written to it. */
  readonly output?: Writable | undefined;
}

const stream = <T>(): z.ZodCustom<T, T> =>
  z.custom<T>((value) => typeof value === 'object' && value !== null && 'on' in value, {
    error: 'must be a stream',
  });

export const streamShape = {
  input: stream<Readable>().optional(),
  output: stream<Writable>().optional(),
};
