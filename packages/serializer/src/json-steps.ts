import {
  charCodeAt,
  defineData,
  indexOf,
  isArray,
  ownEnumerableKeys,
  parseJson,
  slice,
} from './primordials.ts';
import { SerializationError } from './serialization-error.ts';
import { limitError } from './serializer-limits.ts';

/**
 * Characters of JSON that are parsed in one step: `JSON.parse` takes about a millisecond for them,
 * whatever they are.
 */
export const STEP_CHARACTERS = 32_768;
/** Characters and strings that are scanned in one step. */
const SCAN_TOKENS = 65_536;
/** A container of the value is at most so many of the JSON: `{"data":[[key,value]]}`. */
const JSON_LEVELS = 3;

const QUOTE = 34;
const COMMA = 44;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

type Container = unknown[] | Record<string, unknown>;

/** A container whose end the scan has not reached. */
interface Open {
  readonly parent: Open | undefined;
  readonly isObject: boolean;
  /** Where its bracket or brace stands. */
  readonly start: number;
  /** Where the members begin that are not parsed yet. */
  from: number;
  /** Where the member at hand begins. */
  member: number;
  /** Made when the first members are parsed. */
  made: Container | undefined;
  /** Whether the member at hand is a long container, which is in its place already. */
  isMemberMade: boolean;
}

/** What {@link parseInSteps} gives. */
export interface SteppedJson {
  readonly value: unknown;
  /** The containers whose text is longer than one step. */
  readonly long: WeakSet<object>;
}

/**
 * Parses JSON as `JSON.parse` does, in steps of about a millisecond: yields after each. Runs of
 * members are given to `JSON.parse`; a container that is longer than one step is put together here.
 *
 * Runs on the host alone: the arrays that it makes grow by assignment.
 *
 * @throws {SerializationError} `MALFORMED`; `LIMIT` where containers nest too deeply.
 */
export function* parseInSteps(
  json: string,
  maxDepth: number,
  stepCharacters: number = STEP_CHARACTERS,
): Generator<undefined, SteppedJson> {
  const long = new WeakSet<object>();
  let open: Open | undefined;
  let root: Container | undefined;
  let depth = 0;
  let tokens = 0;
  const end = json.length <= stepCharacters ? 0 : json.length;
  for (let at = 0; at < end; at++) {
    const code = charCodeAt(json, at);
    switch (code) {
      case QUOTE:
        if (isSpaceDue(open, root)) throw malformed();
        at = endOfString(json, at);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        if (isSpaceDue(open, root)) throw malformed();
        if (++depth > JSON_LEVELS * maxDepth)
          throw limitError('maxDepth', maxDepth, depth, undefined);
        open = openAt(at, code === OPEN_BRACE, open);
        break;
      case COMMA:
        if (open === undefined) throw malformed();
        if (open.isMemberMade) {
          open.isMemberMade = false;
          open.from = at + 1;
        } else if (at - open.from > stepCharacters) {
          parseRun(json, open, at);
          yield undefined;
        }
        open.member = at + 1;
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE: {
        if (open === undefined || open.isObject !== (code === CLOSE_BRACE)) throw malformed();
        const closed: Open = open;
        open = closed.parent;
        depth--;
        if (closed.made === undefined && at - closed.start <= stepCharacters) break;
        if (!closed.isMemberMade) parseLastRun(json, closed, at);
        const made = closed.made as Container; // By its last run at the latest.
        long.add(made);
        if (open === undefined) {
          if (!isBlank(json, 0, closed.start)) throw malformed();
          root = made;
        } else attach(json, open, closed.start, made);
        yield undefined;
        break;
      }
      default:
        if (isSpaceDue(open, root) && !isSpace(code)) throw malformed();
    }
    if (++tokens % SCAN_TOKENS === 0) yield undefined;
  }
  if (open !== undefined) throw malformed();
  return { value: root ?? parse(json), long };
}

/** Whether nothing but space may stand here: behind a container that was put together. */
function isSpaceDue(open: Open | undefined, root: Container | undefined): boolean {
  return open === undefined ? root !== undefined : open.isMemberMade;
}

function openAt(start: number, isObject: boolean, parent: Open | undefined): Open {
  const from = start + 1;
  return { parent, isObject, start, from, member: from, made: undefined, isMemberMade: false };
}

/** Parses the members up to a comma that stands behind them. */
function parseRun(json: string, open: Open, comma: number): void {
  // `JSON.parse` takes an empty run for an empty container.
  if (isBlank(json, open.from, comma)) throw malformed();
  addRun(open, slice(json, open.from, comma));
  open.from = comma + 1;
}

/** Parses the members up to the end of their container; there may be none if there is no comma. */
function parseLastRun(json: string, open: Open, end: number): void {
  if (open.from !== open.start + 1 && isBlank(json, open.from, end)) throw malformed();
  addRun(open, slice(json, open.from, end));
}

function addRun(open: Open, run: string): void {
  const parsed = parse(open.isObject ? '{' + run + '}' : '[' + run + ']') as Container;
  const { made } = open;
  if (made === undefined) {
    open.made = parsed;
  } else if (isArray(parsed)) {
    const all = made as unknown[]; // As the run, it is what stands between brackets.
    for (let at = 0; at < parsed.length; at++) all[all.length] = parsed[at];
  } else {
    const names = ownEnumerableKeys(parsed);
    for (let at = 0; at < names.length; at++) {
      const name = names[at] as string; // Below the length.
      defineData(made, name, parsed[name]);
    }
  }
}

/** Puts a long container into its parent, behind all members before it. */
function attach(json: string, open: Open, start: number, made: Container): void {
  if (open.member > open.from) parseRun(json, open, open.member - 1);
  if (open.isObject) {
    const member = (open.made ??= {}) as Record<string, unknown>;
    // `"name":` and no more, which a value makes a whole object.
    const names = ownEnumerableKeys(
      parse('{' + slice(json, open.member, start) + 'null}') as object,
    );
    if (names.length !== 1) throw malformed();
    defineData(member, names[0] as string, made);
  } else {
    if (!isBlank(json, open.member, start)) throw malformed();
    const all = (open.made ??= []) as unknown[];
    all[all.length] = made;
  }
  open.isMemberMade = true;
}

/** Where a string ends that begins there. */
function endOfString(json: string, start: number): number {
  for (let at = indexOf(json, '"', start + 1); at >= 0; at = indexOf(json, '"', at + 1)) {
    let before = at - 1;
    while (charCodeAt(json, before) === BACKSLASH) before--;
    if ((at - before) % 2 === 1) return at;
  }
  throw malformed();
}

function isBlank(json: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!isSpace(charCodeAt(json, at))) return false;
  return true;
}

/** The four characters of space that JSON has. */
function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

function parse(json: string): unknown {
  try {
    return parseJson(json);
  } catch (cause) {
    throw malformed(cause);
  }
}

function malformed(cause?: unknown): SerializationError {
  return new SerializationError('MALFORMED', 'The text is not JSON', { cause });
}
