import { inspect } from 'node:util';

import type { GuestErrorData } from '@glovebox/protocol/error-data';

import type { LogEntry, Outcome, OutcomeError } from '../executor/outcome.ts';

/** Logs may take this part of the text when all of it is too long. */
const LOG_SHARE = 0.25;
/** How much of a line of code is shown on each side of the fault. */
const LINE_CONTEXT = 60;
const MAX_CAUSES = 5;

/** What became of a run, as text for a model: result or error, then logs. */
export function renderOutcome(outcome: Outcome, code: string, maxCharacters: number): string {
  const body = outcome.ok
    ? `Result:\n${renderValue(outcome.value, maxCharacters)}`
    : renderError(outcome.error, code);
  if (outcome.logs.length === 0) return cutEnd(body, maxCharacters);
  const logs = outcome.logs.map(renderLog).join('\n');
  const head = '\n\nLogs:\n';
  const room = maxCharacters - head.length;
  const forLogs = Math.max(Math.floor(room * LOG_SHARE), room - body.length);
  const shownLogs = cutStart(logs, forLogs);
  return cutEnd(body, room - shownLogs.length) + head + shownLogs;
}

/** A value for a model to read: Dates, Maps and bytes as they are. */
export function renderValue(value: unknown, maxCharacters: number): string {
  if (typeof value === 'string') return value;
  return inspect(value, {
    depth: 20,
    breakLength: 100,
    // No more items than could be shown; they take two characters each, at the least.
    maxArrayLength: Math.ceil(maxCharacters / 2),
    maxStringLength: maxCharacters,
  });
}

function renderLog({ level, text }: LogEntry): string {
  return level === 'info' ? text : `[${level}] ${text}`;
}

function renderError(error: OutcomeError, code: string): string {
  const { name, message, guestCode, line, column, cause } = error;
  const title = name === error.code ? message : `${name}: ${message}`;
  const lines = [`Error: ${error.code === 'GUEST_ERROR' ? title : `${error.code}: ${title}`}`];
  if (guestCode !== undefined) lines.push(`code: ${guestCode}`);
  lines.push(...renderCauses(error.code === 'GUEST_ERROR' ? cause : undefined));
  if (line !== undefined && column !== undefined) lines.push(...renderPlace(code, line, column));
  return lines.join('\n');
}

function renderCauses(cause: unknown): string[] {
  const lines: string[] = [];
  // The cause of a guest's error is an error as data.
  let next = cause as GuestErrorData | undefined;
  for (let count = 0; next !== undefined && count < MAX_CAUSES; count++, next = next.cause) {
    lines.push(`caused by ${next.name}: ${next.message}`);
  }
  return lines;
}

/** The line of code at fault, and a pointer below it. */
function renderPlace(code: string, line: number, column: number): string[] {
  const where = `at line ${line}, column ${column}:`;
  const text = code.split(/\r\n|[\n\r\u2028\u2029]/)[line - 1];
  if (text === undefined) return [where];
  const start = Math.max(0, column - 1 - LINE_CONTEXT);
  const end = column - 1 + LINE_CONTEXT;
  const before = start > 0 ? '…' : '';
  // A tab is one column, and has to look like one for the pointer to point.
  const shown = `${before}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
  const pointer = '^'.padStart(before.length + column - start);
  return [where, `  ${shown.replaceAll('\t', ' ')}`, `  ${pointer}`];
}

function cutEnd(text: string, most: number): string {
  if (text.length <= most) return text;
  const mark = `\n… (cut: ${text.length} characters in all)`;
  return text.slice(0, Math.max(0, most - mark.length)).toWellFormed() + mark;
}

/** The end of a log says more than its beginning. */
function cutStart(text: string, most: number): string {
  if (text.length <= most) return text;
  const mark = `(cut: ${text.length} characters in all) …\n`;
  return mark + text.slice(text.length - Math.max(0, most - mark.length)).toWellFormed();
}
