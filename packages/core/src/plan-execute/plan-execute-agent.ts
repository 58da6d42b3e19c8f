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

/** A session that is ready to run. */
interface OpenedSession {
  readonly header: SessionHeader;
  readonly past: readonly PlanEvent[];
  readonly writer: SessionWriter | undefined;
  readonly isResumed: boolean;
  /** Event that is written first. */
  readonly first?: PlanEventBody;
}

const NEVER_ABORTED = new AbortController().signal;

/**
 * Plans and executes: a planner makes a plan, the dispatcher calls the tool of each step, and after
 * a failure the planner makes a new plan. Every change of the plan is an event. Two budgets limit a
 * session. A session in a store survives the process.
 */
export class PlanExecuteAgent {
  readonly #options: z.infer<typeof agentOptionsSchema>;

  /** @throws {GloveboxError} `INVALID_OPTIONS`. */
  constructor(options: PlanExecuteAgentOptions) {
    this.#options = checkOptions(agentOptionsSchema, options, 'PlanExecuteAgent');
  }

  /**
   * Starts a session, and resolves when it has ended. Failures of steps, planner and approval do
   * not reject: the result has the reason.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS`, `PLAN_SESSION_EXISTS`; or what the store throws if
   * it cannot create a log.
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
    return this.#start({ header, past: [] }, session);
  }

  /**
   * Continues a session that was stopped, or whose process died. Completed steps are not executed
   * again, and used budgets stay used. If the session has already ended and is not resumable,
   * returns its result.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS`, `PLAN_SESSION_UNKNOWN`, `PLAN_SESSION_BUSY`,
   * `PLAN_LOG_CORRUPT`; or what the store throws if it cannot read the log.
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
   * Starts a new session with the events of another session before a step, and continues from there
   * with another plan or the same plan. The other session does not change.
   *
   * @param stepId The step or gather; if it started several times, its last start counts.
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
    return this.#start({ header, past, ...(first === undefined ? {} : { first }) }, session);
  }

  #header(
    sessionId: string | undefined,
    session: Omit<SessionHeader, 'version' | 'sessionId' | 'startedAt'>,
  ): SessionHeader {
    const { newSessionId, now } = this.#options;
    const id = sessionId ?? checkSessionId(newSessionId());
    return { version: 1, sessionId: id, ...session, startedAt: now() };
  }

  async #start(
    opened: Omit<OpenedSession, 'writer' | 'isResumed'>,
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

  async #drive(opened: OpenedSession, session: PlanSessionOptions): Promise<SessionResult> {
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
    const message = 'Sessions are not stored: give the PlanExecuteAgent a store.';
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
