import { GloveboxError } from '../shared/errors.ts';
import { Journal } from './journal.ts';
import type { JournalOptions } from './journal.ts';
import type { PlanEvent } from './plan-events.ts';
import { corrupt, readLog } from './session-log.ts';
import type { SessionStore } from './session-log.ts';
import { resultOf } from './session-result.ts';
import type { SessionResult } from './session-result.ts';
import { SessionState } from './session-state.ts';

/**
 * Reads the log of a session and returns its result and events, without executing anything. The
 * session may still be running.
 *
 * @throws {GloveboxError} `PLAN_SESSION_UNKNOWN`, `PLAN_LOG_CORRUPT`; or what the store throws.
 */
export async function replaySession(
  store: Pick<SessionStore, 'read'>,
  sessionId: string,
): Promise<SessionResult> {
  const { header, events: past } = await readLog(store, sessionId);
  return resultOf(
    openJournal({ header, past, writer: undefined, now: Date.now, onEvent: undefined }),
  );
}

/** @throws {GloveboxError} `PLAN_LOG_CORRUPT` if the past events are inconsistent. */
export function openJournal(options: JournalOptions): Journal {
  try {
    return new Journal(options);
  } catch (cause) {
    const { header, past } = options;
    throw corrupt(header.sessionId, past.length + 1, cause);
  }
}

export function stateAfter(events: readonly PlanEvent[]): SessionState {
  const state = new SessionState();
  for (const event of events) state.apply(event);
  return state;
}

/**
 * The events before the last start of a step. For a branch, the events before the start of its
 * gather, without those of other branches.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS` if the step was never started.
 */
export function eventsBefore(events: readonly PlanEvent[], stepId: number): readonly PlanEvent[] {
  const place = events.findLastIndex((event) => {
    switch (event.type) {
      case 'gather.start':
        return event.payload.stepId === stepId || event.payload.branches.includes(stepId);
      case 'step.start':
      case 'step.cached':
        return event.payload.stepId === stepId && event.payload.gatherId === undefined;
      case 'plan.draft':
      case 'plan.diff':
      case 'plan.approval':
      case 'plan.commit':
      case 'step.end':
      case 'gather.end':
      case 'session.resume':
      case 'session.complete':
        return false;
    }
  });
  if (place >= 0) return events.slice(0, place);
  const message = `The session never started a step ${stepId}.`;
  throw new GloveboxError('INVALID_OPTIONS', message, { path: 'stepId' });
}
