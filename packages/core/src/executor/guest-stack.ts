import type { GuestErrorData } from '@glovebox/protocol/error-data';
import { CODE_PREFIX, RUNTIME_FILENAME } from '@glovebox/protocol/guest-source';

/** Frames of honest code are short; longer lines are left as they are. */
const MAX_FRAME = 1000;

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** The parts of a frame such as `    at inner (guest.js:2:9)` or `    at guest.js:2:9`. */
interface StackFrame {
  /** What stands before the file name. */
  readonly head: string;
  readonly place: Place;
  readonly tail: string;
}

/**
 * Reads a frame from its end, in one pass: the text is a guest's, and a regular expression would
 * let it choose how long that takes.
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
  // The first line begins behind the text that makes a function of the source.
  const shift = Number(atLine) === 1 ? CODE_PREFIX.length : 0;
  const place = { line: Number(atLine), column: Number(atColumn) - shift };
  return place.column < 1 ? undefined : { head, place, tail };
}

function isNumber(digits: string): boolean {
  return digits.length < 10 && /^\d+$/.test(digits);
}

/**
 * A guest's stack in terms of the source as given: without the frames of the guest runtime, and
 * with the columns of the first line put right. Also tells the topmost place in the source.
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
    // V8 calls the source's own function `eval`, since it has no name.
    const isWhole = head.endsWith(' eval (');
    lines.push(isWhole ? `${head.slice(0, -'eval ('.length)}${where}` : `${head}${where}${tail}`);
  }
  const result = lines.join('\n');
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
