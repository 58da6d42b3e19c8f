/**
 * How large frames may be, in bytes of UTF-8. All sizes follow from the limits of a run and are stated
 * here alone: what a correct side sends always fits, and a larger frame violates the protocol.
 */
import type { Limits } from './limits.ts';

const KIB = 1024;

/** Bytes of a header apart from the source of a job: names of tools, numbers, a message. */
const HEADER_BYTES = 1024 * KIB;

/** Bytes of JSON that describe a failure of a guest, causes included. The guest runtime cuts it. */
export const MAX_FAILURE_BYTES = 256 * KIB;

/** Bytes of JSON that describe the error of a tool, details included. The executor cuts it. */
const MAX_TOOL_ERROR_BYTES = 1024 * KIB;

/** Bytes of a log line that the slot itself adds, such as an unhandled rejection. */
const SLOT_LINE_BYTES = 16 * KIB;

/** A character of one byte takes at most six in JSON, such as `\u0001`. */
const JSON_BYTES = 6;

/** The largest frame of a host that is about no run. */
export const MAX_HOST_EVENT_BYTES = HEADER_BYTES;

/** The largest frame that reports on a run. */
export function maxEventBytes({
  resultBytes,
  toolArgBytes,
  logBytes,
}: Pick<Limits, 'resultBytes' | 'toolArgBytes' | 'logBytes'>): number {
  const body = Math.max(resultBytes, toolArgBytes, logBytes, MAX_FAILURE_BYTES, SLOT_LINE_BYTES);
  return HEADER_BYTES + body;
}

/** The largest frame that holds a job. The source is part of the header, which is JSON. */
export function maxJobBytes({
  sourceBytes,
  variablesBytes,
}: Pick<Limits, 'sourceBytes' | 'variablesBytes'>): number {
  return HEADER_BYTES + JSON_BYTES * sourceBytes + variablesBytes;
}

/** The largest frame that answers a tool call. */
export function maxReplyBytes({ toolResultBytes }: Pick<Limits, 'toolResultBytes'>): number {
  return HEADER_BYTES + Math.max(toolResultBytes, MAX_TOOL_ERROR_BYTES);
}
