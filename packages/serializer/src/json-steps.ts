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

/** Characters of JSON that one step parses. `JSON.parse` takes about a millisecond for any of them. */
export const STEP_CHARACTERS = 32_768;
/** Characters and strings that one step scans. */
const SCAN_TOKENS = 65_536;
/** JSON containers for one container of the value, at most: `{"data":[[key,value]]}`. */
const JSON_LEVELS = 3;

const QUOTE = 34;
const COMMA = 44;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

type Container = unknown[] | Record<string, unknown>;

/** A container whose end the scan has not reached yet. */
interface Open {
  readonly parent: Open | undefined;
  readonly isObject: boolean;
  /** Position of its bracket or brace. */
  readonly start: number;
  /** Start of the members that are not parsed yet. */
  from: number;
  /** Start of the current member. */
  member: number;
  /** Created when the first members are parsed. */
  made: Container | undefined;
  /** Whether the current member is a long container that is already in its place. */
  isMemberMade: boolean;
}

/** The result of {@link parseInSteps}. */
export interface SteppedJson {
  readonly value: unknown;
  /** The containers whose text is longer than one step. */
  readonly long: WeakSet<object>;
}

/**
 * Parses JSON with the same result as `JSON.parse`, in steps of about a millisecond, and yields after each.
 * `JSON.parse` parses runs of members; this function assembles containers that are longer than one step.
 *
 * Only for the host: arrays grow by assignment, which a setter of `Array.prototype` could see.
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
        const made = closed.made as Container; // Created by its last run at the latest.
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

/** Whether only white space may follow, because an assembled container precedes. */
function isSpaceDue(open: Open | undefined, root: Container | undefined): boolean {
  return open === undefined ? root !== undefined : open.isMemberMade;
}

function openAt(start: number, isObject: boolean, parent: Open | undefined): Open {
  const from = start + 1;
  return { parent, isObject, start, from, member: from, made: undefined, isMemberMade: false };
}

/** Parses the members up to the comma that follows them. */
function parseRun(json: string, open: Open, comma: number): void {
  // `JSON.parse` would accept an empty run as an empty container.
  if (isBlank(json, open.from, comma)) throw malformed();
  addRun(open, slice(json, open.from, comma));
  open.from = comma + 1;
}

/** Parses the members up to the end of their container. Without a comma before, there may be none. */
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
    const all = made as unknown[]; // An array, as the run is one.
    for (let at = 0; at < parsed.length; at++) all[all.length] = parsed[at];
  } else {
    const names = ownEnumerableKeys(parsed);
    for (let at = 0; at < names.length; at++) {
      const name = names[at] as string; // The index is in bounds.
      defineData(made, name, parsed[name]);
    }
  }
}

/** Adds a long container to its parent, after the members before it. */
function attach(json: string, open: Open, start: number, made: Container): void {
  if (open.member > open.from) parseRun(json, open, open.member - 1);
  if (open.isObject) {
    const member = (open.made ??= {}) as Record<string, unknown>;
    // The text must be `"name":`; with a value it is an object with one member.
    const names = ownEnumerableKeys(
      parse('{' + slice(json, open.member, start) + 'null}') as object,
    );
    defineData(member, names[0] as string, made); // Any other text is not JSON.
  } else {
    if (!isBlank(json, open.member, start)) throw malformed();
    const all = (open.made ??= []) as unknown[];
    all[all.length] = made;
  }
  open.isMemberMade = true;
}

/** Position of the quote that ends the string. */
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

/** Whether a character is one of the four white space characters of JSON. */
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
