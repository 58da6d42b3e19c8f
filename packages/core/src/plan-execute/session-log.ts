import { deserialize, serialize } from '@glovebox/serializer/safe';
import { z } from 'zod';

import { checkOptions } from '../shared/check-options.ts';
import { GloveboxError } from '../shared/errors.ts';
import { messageOf } from '../shared/message-of.ts';
import { parseEvent } from './plan-events.ts';
import type { PlanEvent } from './plan-events.ts';

/**
 * Stores the log of each session as an append-only list of lines of text. A store does not
 * interpret the lines.
 */
export interface SessionStore {
  /**
   * Creates the log of a new session with these lines, and returns its only writer.
   *
   * @throws {GloveboxError} `PLAN_SESSION_EXISTS`.
   */
  create(sessionId: string, lines: readonly string[]): Promise<SessionWriter>;
  /**
   * Opens the log of a session for appending, and returns its only writer. An incomplete last line
   * is removed.
   *
   * @throws {GloveboxError} `PLAN_SESSION_UNKNOWN`, `PLAN_SESSION_BUSY`.
   */
  open(sessionId: string): Promise<SessionWriter>;
  /**
   * Reads the complete lines of a session, without its writer. An incomplete line is ignored.
   *
   * @throws {GloveboxError} `PLAN_SESSION_UNKNOWN`.
   */
  read(sessionId: string): AsyncIterable<string>;
}

/** The only writer of a session's log. */
export interface SessionWriter {
  /** Appends a line; resolves when it is as durable as the store promises. Calls never overlap. */
  append(line: string): Promise<void>;
  /** Releases the log for other writers. */
  close(): Promise<void>;
}

/** Session ids are used as file names. */
export const sessionIdSchema = z
  .string()
  .regex(/^\w[\w.-]{0,127}$/, 'may have at most 128 letters, digits, ".", "_" and "-"');

/** @throws {GloveboxError} `INVALID_OPTIONS`, for example for an id that would escape the store. */
export function checkSessionId(sessionId: unknown): string {
  return checkOptions(z.object({ sessionId: sessionIdSchema }), { sessionId }, 'a session')
    .sessionId;
}

/** The settings of a session: the first line of its log. */
export interface SessionHeader {
  readonly version: 1;
  readonly sessionId: string;
  readonly goal: string;
  readonly maxSteps: number;
  readonly maxReplans: number;
  readonly startedAt: number;
  /** Data of the caller that is stored with the session. */
  readonly metadata?: unknown;
  /** The session and the step from which this one was forked. */
  readonly forkedFrom?: { readonly sessionId: string; readonly stepId: number } | undefined;
}

const headerSchema = z.object({
  version: z.literal(1),
  sessionId: z.string(),
  goal: z.string(),
  maxSteps: z.int().min(0),
  maxReplans: z.int().min(0),
  startedAt: z.number(),
  metadata: z.unknown().optional(),
  forkedFrom: z.object({ sessionId: z.string(), stepId: z.int() }).optional(),
});

export function writeLine(entry: SessionHeader | PlanEvent): string {
  return serialize(entry);
}

/** The contents of a log. */
export interface SessionLog {
  readonly header: SessionHeader;
  readonly events: readonly PlanEvent[];
}

/**
 * Reads and validates a whole log.
 *
 * @throws {GloveboxError} `PLAN_SESSION_UNKNOWN`, `PLAN_LOG_CORRUPT`.
 */
export async function readLog(
  store: Pick<SessionStore, 'read'>,
  sessionId: string,
): Promise<SessionLog> {
  let header: SessionHeader | undefined;
  const events: PlanEvent[] = [];
  for await (const line of store.read(checkSessionId(sessionId))) {
    try {
      const entry = deserialize(line);
      if (header === undefined) {
        header = headerSchema.parse(entry);
        continue;
      }
      const event = parseEvent(entry);
      if (event.seq !== events.length + 1)
        throw new Error(`the sequence number is ${event.seq}, not ${events.length + 1}`);
      events.push(event);
    } catch (cause) {
      throw corrupt(sessionId, events.length + (header === undefined ? 1 : 2), cause);
    }
  }
  // A process that was killed before the first line was complete leaves an empty log.
  if (header === undefined) throw unknownSession(sessionId);
  return { header, events };
}

export function corrupt(sessionId: string, line: number, cause: unknown): GloveboxError {
  const why = messageOf(cause);
  const message = `The log of session ${sessionId} is corrupt at line ${line}: ${why}`;
  return new GloveboxError('PLAN_LOG_CORRUPT', message, { cause });
}

export function sessionExists(sessionId: string): GloveboxError {
  return new GloveboxError('PLAN_SESSION_EXISTS', `A session ${sessionId} already exists.`);
}

export function unknownSession(sessionId: string): GloveboxError {
  return new GloveboxError('PLAN_SESSION_UNKNOWN', `There is no session ${sessionId}.`);
}
