import { z } from 'zod';

import { checkOptions } from '../shared/check-options.ts';
import { GloveboxError } from '../shared/errors.ts';
import {
  agentOptionsSchema,
  forkOptionsSchema,
  newSessionOptionsSchema,
  planSessionOptionsSchema,
} from './plan-agent-options.ts';
import type {
  ForkOptions,
  NewPlanSessionOptions,
  PlanExecuteAgentOptions,
  PlanSessionOptions,
} from './plan-agent-options.ts';
import type { PlanEvent, PlanEventBody } from './plan-events.ts';
import type { PlanStep } from './plan-steps.ts';
import { readPlan } from './planner.ts';
import { eventsBefore, openJournal, stateAfter } from './replay-session.ts';
import { checkSessionId, readLog, writeLine } from './session-log.ts';
import type { SessionHeader, SessionStore, SessionWriter } from './session-log.ts';
import { resultOf } from './session-result.ts';
import type { SessionResult } from './session-result.ts';
import { SessionRun } from './session-run.ts';
import type { SessionState } from './session-state.ts';

/** A session that is about to go on. */
interface Opened {
  readonly header: SessionHeader;
  readonly past: readonly PlanEvent[];
  readonly writer: SessionWriter | undefined;
  readonly isResumed: boolean;
  /** What is written before all else. */
  readonly first?: PlanEventBody;
}

const NEVER_ABORTED = new AbortController().signal;

/**
 * Plans and executes: a planner drafts steps, each is carried out through the dispatcher, and a
 * failure goes back to the planner. Every change of plan is an event, two budgets end it, and a
 * session that is kept in a store survives the process.
 */
export class PlanExecuteAgent {
  readonly #options: z.infer<typeof agentOptionsSchema>;

  /** @throws {GloveboxError} `INVALID_OPTIONS`. */
  constructor(options: PlanExecuteAgentOptions) {
    this.#options = checkOptions(agentOptionsSchema, options, 'PlanExecuteAgent');
  }

  /**
   * Begins a session, and resolves when it has ended, whatever steps, planner and people do.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS`, `PLAN_SESSION_EXISTS`; or what the store throws when
   * a log cannot be begun.
   */
  async run(goal: string, options: NewPlanSessionOptions = {}): Promise<SessionResult> {
    const { sessionId, metadata, ...session } = checkOptions(
      newSessionOptionsSchema,
      options,
      'run',
    );
    const { maxSteps, maxReplans } = this.#options;
    const header = this.#header(sessionId, {
      goal: checkOptions(goalSchema, goal, 'run'),
      maxSteps,
      maxReplans,
      metadata,
    });
    return this.#begin({ header, past: [] }, session);
  }

  /**
   * Goes on with a session that was stopped, or whose process died. Steps that are done are not
   * carried out again, and budgets count on. A session that has come to its end is only read.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS`, `PLAN_SESSION_UNKNOWN`, `PLAN_SESSION_BUSY`,
   * `PLAN_LOG_CORRUPT`; or what the store throws when a log cannot be read.
   */
  async resume(sessionId: string, options: PlanSessionOptions = {}): Promise<SessionResult> {
    const session = checkOptions(planSessionOptionsSchema, options, 'resume');
    const store = this.#store();
    const writer = await store.open(checkSessionId(sessionId));
    try {
      const { header, events: past } = await readLog(store, sessionId);
      return await this.#drive({ header, past, writer, isResumed: true }, session);
    } finally {
      await writer.close();
    }
  }

  /**
   * Begins a new session with what another one did before a step, and goes on from there: with
   * another plan, or with the same one. The other session stays as it is.
   *
   * @param stepId The step, or the gather, as it was carried out last.
   * @throws {GloveboxError} `INVALID_OPTIONS`, `PLAN_SESSION_UNKNOWN`, `PLAN_SESSION_EXISTS`,
   * `PLAN_LOG_CORRUPT`; or what the store throws.
   */
  async fork(sessionId: string, stepId: number, options: ForkOptions = {}): Promise<SessionResult> {
    const checked = checkOptions(forkOptionsSchema, options, 'fork');
    const { sessionId: newId, plan, ...session } = checked;
    const from = await readLog(this.#store(), sessionId);
    const past = eventsBefore(from.events, stepId);
    const { goal, maxSteps, maxReplans } = from.header;
    const { metadata = from.header.metadata } = checked;
    const forkedFrom = { sessionId, stepId };
    const header = this.#header(newId, {
      goal,
      maxSteps,
      maxReplans,
      metadata,
      forkedFrom,
    });
    const first = plan === undefined ? undefined : draftOf(plan, stateAfter(past));
    return this.#begin({ header, past, ...(first === undefined ? {} : { first }) }, session);
  }

  #header(
    sessionId: string | undefined,
    session: Omit<SessionHeader, 'version' | 'sessionId' | 'startedAt'>,
  ): SessionHeader {
    const { newSessionId, now } = this.#options;
    const id = sessionId ?? checkSessionId(newSessionId());
    return { version: 1, sessionId: id, ...session, startedAt: now() };
  }

  async #begin(
    opened: Omit<Opened, 'writer' | 'isResumed'>,
    session: PlanSessionOptions,
  ): Promise<SessionResult> {
    const { header, past } = opened;
    const lines = [header, ...past].map(writeLine);
    const writer = await this.#options.store?.create(header.sessionId, lines);
    try {
      return await this.#drive({ ...opened, writer, isResumed: false }, session);
    } finally {
      await writer?.close();
    }
  }

  async #drive(opened: Opened, session: PlanSessionOptions): Promise<SessionResult> {
    const { header, past, writer, isResumed, first } = opened;
    const { planner, dispatcher, concurrency, now } = this.#options;
    const journal = openJournal({ header, past, writer, now, onEvent: session.onEvent });
    const ended = resultOf(journal);
    if (isResumed && journal.state.completion !== undefined && !ended.resumable) return ended;
    const approve = session.approve ?? this.#options.approve;
    const decideInFlight = session.decideInFlight ?? this.#options.decideInFlight;
    const settings = { planner, dispatcher, concurrency, approve, decideInFlight };
    const run = new SessionRun(journal, settings, session.signal ?? NEVER_ABORTED);
    await run.run({ isResumed, first });
    return resultOf(journal);
  }

  #store(): SessionStore {
    const { store } = this.#options;
    if (store !== undefined) return store;
    const message = 'Sessions are kept nowhere: give the PlanExecuteAgent a store.';
    throw new GloveboxError('INVALID_OPTIONS', message, { path: 'store' });
  }
}

const goalSchema = z.string('must be a text');

function draftOf(plan: readonly PlanStep[], state: SessionState): PlanEventBody {
  const read = readPlan(plan, state.results.keys());
  if (!read.ok) throw new GloveboxError('INVALID_OPTIONS', read.message, { path: 'plan' });
  const payload = { revision: state.revision + 1, source: 'person', steps: read.plan } as const;
  return { type: 'plan.draft', payload };
}
