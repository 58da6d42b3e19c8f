import type { GuestErrorData } from '@glovebox/protocol/error-data';
import { CODE_PREFIX, RUNTIME_FILENAME } from '@glovebox/protocol/guest-source';

/** Longer lines are not parsed: frames of normal code are short. */
const MAX_FRAME = 1000;

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** The parts of a frame such as `    at inner (guest.js:2:9)` or `    at guest.js:2:9`. */
interface StackFrame {
  /** The text before the file name. */
  readonly head: string;
  readonly place: Place;
  readonly tail: string;
}

/**
 * Parses a frame from its end, in one pass. It uses no regular expression on the whole line, because
 * a guest could choose text for which matching takes very long.
 */
function readFrame(line: string, filename: string): StackFrame | undefined {
  if (!line.startsWith('    at ') || line.length > MAX_FRAME) return undefined;
  const tail = line.endsWith(')') ? ')' : '';
  const text = tail === '' ? line : line.slice(0, -1);
  const beforeColumn = text.lastIndexOf(':');
  const beforeLine = text.lastIndexOf(':', beforeColumn - 1);
  const [atLine, atColumn] = [
    text.slice(beforeLine + 1, beforeColumn),
    text.slice(beforeColumn + 1),
  ];
  if (beforeLine < 0 || !isNumber(atLine) || !isNumber(atColumn)) return undefined;
  const head = text.slice(0, beforeLine - filename.length);
  if (text.slice(head.length, beforeLine) !== filename || !/[ (]$/.test(head)) return undefined;
  // On the first line, `CODE_PREFIX` precedes the source.
  const shift = Number(atLine) === 1 ? CODE_PREFIX.length : 0;
  const place = { line: Number(atLine), column: Number(atColumn) - shift };
  return place.column < 1 ? undefined : { head, place, tail };
}

function isNumber(digits: string): boolean {
  return digits.length < 10 && /^\d+$/.test(digits);
}

/**
 * Maps a guest's stack to the original source: removes the frames of the guest runtime and corrects
 * the columns of the first line. `place` is the topmost position in the source.
 */
export function readStack(stack: string, filename: string): { stack: string; place?: Place } {
  let top: Place | undefined;
  const lines: string[] = [];
  for (const line of stack.split('\n')) {
    if (line.includes(RUNTIME_FILENAME)) continue;
    const frame = readFrame(line, filename);
    if (frame === undefined) {
      lines.push(line);
      continue;
    }
    const { head, place, tail } = frame;
    top ??= place;
    const where = `${filename}:${place.line}:${place.column}`;
    // V8 names the function of the whole source `eval`, because it has no name of its own.
    const isTopLevel = head.endsWith(' eval (');
    lines.push(
      isTopLevel ? `${head.slice(0, -'eval ('.length)}${where}` : `${head}${where}${tail}`,
    );
  }
  const result = lines.join('\n');
  return top === undefined ? { stack: result } : { stack: result, place: top };
}

/** Maps the stacks of a guest error and of its causes to the original source. */
export function mapErrorStacks(data: GuestErrorData, filename: string): GuestErrorData {
  return {
    ...data,
    ...(data.stack === undefined ? {} : { stack: readStack(data.stack, filename).stack }),
    ...(data.cause === undefined ? {} : { cause: mapErrorStacks(data.cause, filename) }),
  };
}
