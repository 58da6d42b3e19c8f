import { inspect } from 'node:util';

import type { GuestErrorData } from '@glovebox/protocol/error-data';

import type { LogEntry, Outcome, OutcomeError } from '../executor/outcome.ts';

/** The part of the text that is reserved for logs if result and logs together are too long. */
const LOG_SHARE = 0.25;
/** How many characters of the line of code are shown on each side of the fault. */
const LINE_CONTEXT = 60;
const MAX_CAUSES = 5;

/** Formats an outcome as text for a model: result or error, then logs. */
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

/** Formats a value as text for a model. Dates, Maps and bytes are shown as such. */
export function renderValue(value: unknown, maxCharacters: number): string {
  if (typeof value === 'string') return value;
  return inspect(value, {
    depth: 20,
    breakLength: 100,
    // Not more items than fit into the text: each takes at least two characters.
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
  // The cause of a guest's error is always error data.
  let next = cause as GuestErrorData | undefined;
  for (let count = 0; next !== undefined && count < MAX_CAUSES; count++, next = next.cause) {
    lines.push(`caused by ${next.name}: ${next.message}`);
  }
  return lines;
}

/** The line of code that failed, with a pointer below it. */
function renderPlace(code: string, line: number, column: number): string[] {
  const where = `at line ${line}, column ${column}:`;
  const text = code.split(/\r\n|[\n\r\u2028\u2029]/)[line - 1];
  if (text === undefined) return [where];
  const start = Math.max(0, column - 1 - LINE_CONTEXT);
  const end = column - 1 + LINE_CONTEXT;
  const before = start > 0 ? '…' : '';
  // A tab counts as one column, so it is shown as one space: otherwise the pointer is misplaced.
  const shown = `${before}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
  const pointer = '^'.padStart(before.length + column - start);
  return [where, `  ${shown.replaceAll('\t', ' ')}`, `  ${pointer}`];
}

function cutEnd(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const mark = `\n… (cut: ${text.length} characters in all)`;
  return text.slice(0, Math.max(0, maxLength - mark.length)).toWellFormed() + mark;
}

/** For logs: their end is usually more useful than their beginning. */
function cutStart(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const mark = `(cut: ${text.length} characters in all) …\n`;
  return mark + text.slice(text.length - Math.max(0, maxLength - mark.length)).toWellFormed();
}
