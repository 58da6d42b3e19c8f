import { deserialize, serialize } from '@glovebox/serializer/safe';
import { z } from 'zod';

import { checkOptions } from '../shared/check-options.ts';
import { GloveboxError } from '../shared/errors.ts';
import { messageOf } from '../shared/message-of.ts';
import { parseEvent } from './plan-events.ts';
import type { PlanEvent } from './plan-events.ts';

/**
 * Where sessions are kept: for each one an append-only list of lines of text. A store knows nothing
 * of what they say.
 */
export interface SessionStore {
  /**
   * Begins the log of a new session with these lines, as its only writer.
   *
   * @throws {GloveboxError} `PLAN_SESSION_EXISTS`.
   */
  create(sessionId: string, lines: readonly string[]): Promise<SessionWriter>;
  /**
   * Opens the log of a session to write on, as its only writer: a line that was not written to its
   * end is taken away.
   *
   * @throws {GloveboxError} `PLAN_SESSION_UNKNOWN`, `PLAN_SESSION_BUSY`.
   */
  open(sessionId: string): Promise<SessionWriter>;
  /**
   * The lines of a session that are written to their end, for whoever only reads.
   *
   * @throws {GloveboxError} `PLAN_SESSION_UNKNOWN`.
   */
  read(sessionId: string): AsyncIterable<string>;
}

/** The one writer of a session's log. */
export interface SessionWriter {
  /** Resolves when the line is as safe as the store makes it. Called by one at a time. */
  append(line: string): Promise<void>;
  /** Lets others write. */
  close(): Promise<void>;
}

/** Names of sessions are names of files. */
export const sessionIdSchema = z
  .string()
  .regex(/^\w[\w.-]{0,127}$/, 'may hold letters, digits, ".", "_" and "-", at most 128');

/** @throws {GloveboxError} `INVALID_OPTIONS`: a name like this could lead out of the store. */
export function checkSessionId(sessionId: unknown): string {
  return checkOptions(z.object({ sessionId: sessionIdSchema }), { sessionId }, 'a session')
    .sessionId;
}

/** What a session was begun with: the first line of its log. */
export interface SessionHeader {
  readonly version: 1;
  readonly sessionId: string;
  readonly goal: string;
  readonly maxSteps: number;
  readonly maxReplans: number;
  readonly startedAt: number;
  /** What the caller wants to find with the session. */
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

/** What a log says. */
export interface ReadLog {
  readonly header: SessionHeader;
  readonly events: readonly PlanEvent[];
}

/**
 * Reads a log, once and whole.
 *
 * @throws {GloveboxError} `PLAN_SESSION_UNKNOWN`, `PLAN_LOG_CORRUPT`.
 */
export async function readLog(
  store: Pick<SessionStore, 'read'>,
  sessionId: string,
): Promise<ReadLog> {
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
      if (event.seq !== events.length + 1) throw new Error(`it has the number ${event.seq}`);
      events.push(event);
    } catch (cause) {
      throw corrupt(sessionId, events.length + (header === undefined ? 1 : 2), cause);
    }
  }
  // A process that is killed before the first line is whole leaves an empty log.
  if (header === undefined) throw unknownSession(sessionId);
  return { header, events };
}

export function corrupt(sessionId: string, line: number, cause: unknown): GloveboxError {
  const why = messageOf(cause);
  const message = `The log of session ${sessionId} is broken at line ${line}: ${why}`;
  return new GloveboxError('PLAN_LOG_CORRUPT', message, { cause });
}

export function sessionExists(sessionId: string): GloveboxError {
  return new GloveboxError('PLAN_SESSION_EXISTS', `There is a session ${sessionId} already.`);
}

export function unknownSession(sessionId: string): GloveboxError {
  return new GloveboxError('PLAN_SESSION_UNKNOWN', `There is no session ${sessionId}.`);
}
