import { CODE_PREFIX } from '@glovebox/protocol/guest-source';
import type { Job } from '@glovebox/protocol/job';
import type { SyntaxFailure } from '@glovebox/protocol/slot-messages';
import type ivm from 'isolated-vm';

import { stripTypes } from './strip-types.ts';

/**
 * Finds the position of a syntax error. The isolate compiles the source again, without running it,
 * because only this call reports line and column.
 */
async function locate(
  isolate: ivm.Isolate,
  filename: string,
  source: string,
  message: string,
): Promise<SyntaxFailure> {
  const failure = { message };
  try {
    const script = await isolate.compileScript(`${CODE_PREFIX}${source}\n})`, { filename });
    script.release();
    // It compiles only because it closes the function around it, so the error has no position.
    return { message: 'The code must be one function body.', ran: true };
  } catch (error) {
    const text = error instanceof Error ? error.message : '';
    const place = /^(.*) \[[^[\]]*:(\d+):(\d+)\]$/s.exec(text);
    if (place === null) return failure;
    const line = Number(place[2]);
    const column = Number(place[3]) - (line === 1 ? CODE_PREFIX.length : 0);
    return { message: place[1] ?? failure.message, line, column: Math.max(1, column) };
  }
}

/** Whether failure `a` is at a later position than failure `b`: its parser got further. */
function isLater(a: SyntaxFailure, b: SyntaxFailure): boolean {
  const lineA = a.line ?? 0;
  const lineB = b.line ?? 0;
  return lineA === lineB ? (a.column ?? 0) > (b.column ?? 0) : lineA > lineB;
}

export type Recovery =
  /** Run this code instead. */
  | { readonly code: string }
  /** Report the failure. `broken`: the type stripper cannot be used again in this thread. */
  | { readonly failure: SyntaxFailure; readonly broken?: true };

/**
 * Decides what to do with a source that does not compile as JavaScript: run it with its types
 * stripped, or report the syntax error of the parser (JavaScript or TypeScript) that got further.
 *
 * @param source What was compiled: the job's code, or the code with its types stripped.
 */
export async function recover(
  isolate: ivm.Isolate,
  job: Job,
  source: string,
  message: string,
): Promise<Recovery> {
  const failure = await locate(isolate, job.filename, source, message);
  const isStripped = source !== job.code;
  if (failure.ran === true || isStripped || job.language !== 'auto') return { failure };
  const stripped = stripTypes(job.code);
  if ('broken' in stripped) return { failure, broken: true };
  if ('code' in stripped) {
    return stripped.code === job.code ? { failure } : { code: stripped.code };
  }
  return { failure: isLater(stripped, failure) ? stripped : failure };
}
