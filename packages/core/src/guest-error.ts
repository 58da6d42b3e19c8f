import { CODE_PREFIX } from '@glovebox/worker';
import { z } from 'zod';

import type { GuestErrorData } from './outcome.ts';

const text = z.string().max(20_000);

const errorData: z.ZodType<GuestErrorData> = z.strictObject({
  name: text,
  message: text,
  stack: z.exactOptional(text),
  code: z.exactOptional(z.union([text, z.number()])),
  cause: z.exactOptional(z.lazy(() => errorData)),
});

/** A failure as the guest runtime writes it. The guest may have had a hand in every field. */
export const guestFailureSchema = z.strictObject({
  kind: z.enum(['thrown', 'unserializable', 'result-limit', 'call-limit', 'argument-limit']),
  name: text,
  message: text,
  stack: z.exactOptional(text),
  code: z.exactOptional(z.union([text, z.number()])),
  cause: z.exactOptional(errorData),
  path: z.exactOptional(text),
  limit: z.exactOptional(z.number()),
  used: z.exactOptional(z.number()),
});

/** A compile error as the slot writes it. */
export const syntaxFailureSchema = z.strictObject({
  message: text,
  line: z.exactOptional(z.int()),
  column: z.exactOptional(z.int()),
});

/** The end of a stack line: `file:line:column`, in parentheses or not. */
const PLACE = /(?<file>[\w.-]+):(?<line>\d+):(?<column>\d+)\)?$/;
const RUNTIME_FRAME = /\bglovebox:runtime\b/;

export interface Place {
  readonly line: number;
  readonly column: number;
}

function placeOf(frame: string, filename: string): Place | undefined {
  const groups = PLACE.exec(frame)?.groups;
  if (groups === undefined || groups['file'] !== filename) return undefined;
  const line = Number(groups['line']);
  // The first line begins behind the text that makes a function of the source.
  const column = Number(groups['column']) - (line === 1 ? CODE_PREFIX.length : 0);
  return column < 1 ? undefined : { line, column };
}

/**
 * A guest's stack in terms of the source as given: without the frames of the guest runtime, and
 * with the columns of the first line put right. Also tells the topmost place in the source.
 */
export function readStack(stack: string, filename: string): { stack: string; place?: Place } {
  let top: Place | undefined;
  const lines = stack.split('\n').filter((line) => !RUNTIME_FRAME.test(line));
  const mapped = lines.map((line) => {
    if (!line.startsWith('    at ')) return line;
    const place = placeOf(line, filename);
    if (place === undefined) return line;
    top ??= place;
    // V8 calls the source's own function `eval`, since it has no name.
    return line
      .replace(/ eval \((.*)\)$/, ' $1')
      .replace(/:\d+:\d+(\)?)$/, `:${place.line}:${place.column}$1`);
  });
  const result = mapped.join('\n');
  return top === undefined ? { stack: result } : { stack: result, place: top };
}

/** A guest error with its stacks, and those of its causes, in terms of the source as given. */
export function mapCauses(data: GuestErrorData, filename: string): GuestErrorData {
  return {
    ...data,
    ...(data.stack === undefined ? {} : { stack: readStack(data.stack, filename).stack }),
    ...(data.cause === undefined ? {} : { cause: mapCauses(data.cause, filename) }),
  };
}
