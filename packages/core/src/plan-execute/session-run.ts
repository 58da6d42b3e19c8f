import { ABORTED, untilAborted } from '../dispatch/abort.ts';
import type { ToolDispatcher } from '../dispatch/dispatcher.ts';
import { readThrown } from '../shared/thrown.ts';
import { diffPlans } from './diff.ts';
import { runGather } from './gather.ts';
import { decideInFlightSteps, recordDecisions } from './in-flight.ts';
import type { DecidedStep, DecideInFlight } from './in-flight.ts';
import { JournalError } from './journal.ts';
import type { Journal } from './journal.ts';
import { planDecisionSchema } from './plan-approval.ts';
import type { ApprovePlan } from './plan-approval.ts';
import type { PlanEventBody } from './plan-events.ts';
import { isGather } from './plan-steps.ts';
import type { GatherStep, PlanStep, SingleStep } from './plan-steps.ts';
import { copyOf, readGivenUp, readPlan } from './planner.ts';
import type { Planner } from './planner.ts';
import { SESSION_REASONS } from './session-reasons.ts';
import type { SessionReason } from './session-reasons.ts';
import type { SessionState } from './session-state.ts';
import { StepRunner } from './step-runner.ts';

export interface SessionRunSettings {
  readonly planner: Planner;
  readonly dispatcher: ToolDispatcher;
  readonly approve: ApprovePlan | undefined;
  readonly decideInFlight: DecideInFlight | undefined;
  readonly concurrency: number;
}

/** How a session starts. */
interface Start {
  readonly isResumed: boolean;
  /** Event that is written first. */
  readonly first: PlanEventBody | undefined;
}

type Draft = NonNullable<SessionState['draft']>;

/**
 * Runs a session until it ends. The next action depends only on the state of the session, so a
 * session that was read from its log continues as if it had never stopped.
 */
export class SessionRun {
  readonly #journal: Journal;
  readonly #settings: SessionRunSettings;
  readonly #signal: AbortSignal;
  readonly #runner: StepRunner;

  constructor(journal: Journal, settings: SessionRunSettings, signal: AbortSignal) {
    this.#journal = journal;
    this.#settings = settings;
    this.#signal = signal;
    this.#runner = new StepRunner(journal, settings.dispatcher, signal);
  }

  /** Resolves after `session.complete`. Never rejects. */
  async run({ isResumed, first }: Start): Promise<void> {
    try {
      if (isResumed) await this.#resume();
      if (first !== undefined) await this.#journal.emit(first);
      while (this.#state.completion === undefined) await this.#advance();
    } catch (thrown) {
      await this.#onError(thrown);
    }
  }

  get #state(): SessionState {
    return this.#journal.state;
  }

  async #advance(): Promise<void> {
    const { plan, draft, cursor, hasFailed } = this.#state;
    if (this.#signal.aborted) return this.#complete('aborted', textOf(this.#signal.reason));
    if (draft !== undefined) return this.#settleDraft(draft);
    if (plan === undefined) return this.#makeFirstPlan();
    if (hasFailed) return this.#replan();
    const step = plan[cursor];
    if (step === undefined) return this.#complete(plan.length === 0 ? 'no_plan' : 'goal_met');
    return isGather(step) ? this.#runGather(step) : this.#runStep(step);
  }

  async #runStep(step: SingleStep): Promise<void> {
    const prepared = this.#runner.prepare(step);
    const { stepsTaken, inFlight } = this.#state;
    const isNewCall = prepared.cachedFrom === undefined && !inFlight.has(step.id);
    if (isNewCall && stepsTaken >= this.#journal.header.maxSteps) {
      await this.#complete('step_budget');
      return;
    }
    await this.#runner.run(prepared, this.#signal);
  }

  async #runGather(step: GatherStep): Promise<void> {
    const settings = {
      journal: this.#journal,
      runner: this.#runner,
      concurrency: this.#settings.concurrency,
      signal: this.#signal,
    };
    if (!(await runGather(step, settings))) await this.#complete('step_budget');
  }

  async #makeFirstPlan(): Promise<void> {
    const steps = await this.#askPlanner();
    if (steps === undefined) return;
    // An empty plan ends the session, which needs no approval.
    if (this.#settings.approve === undefined || steps.length === 0) {
      await this.#journal.emit({ type: 'plan.commit', payload: { revision: 0, steps } });
    } else {
      const payload = { revision: 0, source: 'planner', steps } as const;
      await this.#journal.emit({ type: 'plan.draft', payload });
    }
  }

  async #replan(): Promise<void> {
    const { replansUsed, stepsTaken, revision } = this.#state;
    const { maxReplans, maxSteps } = this.#journal.header;
    if (replansUsed >= maxReplans) return this.#complete('replan_budget');
    // Without budget for a step, a new plan could not be executed.
    if (stepsTaken >= maxSteps) return this.#complete('step_budget');
    const steps = await this.#askPlanner();
    if (steps === undefined) return;
    const payload = { revision: revision + 1, source: 'planner', steps } as const;
    await this.#journal.emit({ type: 'plan.draft', payload });
  }

  /** Asks the planner for a plan. Undefined if the session was completed or aborted instead. */
  async #askPlanner(): Promise<readonly PlanStep[] | undefined> {
    const { history, lastError, results, stepsTaken, replansUsed, plan } = this.#state;
    const { goal, sessionId, maxSteps, maxReplans } = this.#journal.header;
    const context = {
      signal: this.#signal,
      sessionId,
      remainingSteps: maxSteps - stepsTaken,
      remainingReplans: maxReplans - replansUsed - (plan === undefined ? 0 : 1),
      resultIds: [...results.keys()],
    };
    try {
      const planning = (async () =>
        this.#settings.planner(goal, copyOf(history), lastError, context))();
      const answer = await untilAborted(planning, this.#signal);
      if (answer === ABORTED) return undefined;
      const givenUp = readGivenUp(answer);
      if (givenUp !== undefined) {
        await this.#complete('gave_up', givenUp.gaveUp);
        return undefined;
      }
      const read = readPlan(answer, results.keys());
      if (read.ok) return read.plan;
      await this.#complete('bad_plan', read.message);
    } catch (thrown) {
      if (thrown instanceof JournalError) throw thrown;
      await this.#complete('planner_error', textOf(thrown));
    }
    return undefined;
  }

  async #settleDraft(draft: Draft): Promise<void> {
    const { revision, source, steps, before, isCompared, isApproved } = draft;
    if (steps.length === 0) return this.#complete('no_plan');
    if (revision > 0 && !isCompared) {
      const payload = { revision, source, ...diffPlans(before, steps) };
      return this.#journal.emit({ type: 'plan.diff', payload });
    }
    const { approve } = this.#settings;
    if (source === 'planner' && !isApproved && approve !== undefined) {
      return this.#askForApproval(draft, approve);
    }
    await this.#journal.emit({ type: 'plan.commit', payload: { revision, steps } });
  }

  async #askForApproval(draft: Draft, approve: ApprovePlan): Promise<void> {
    const { history, lastError, revisions, results } = this.#state;
    const { goal, sessionId } = this.#journal.header;
    const { revision, steps } = draft;
    const diff = revision > 0 ? revisions.at(-1) : undefined;
    const resultIds = [...results.keys()];
    const about = { sessionId, goal, revision, steps, diff, history, lastError, resultIds };
    const request = copyOf(about);
    const signal = this.#signal;
    let answer: unknown;
    try {
      answer = await untilAborted((async () => approve(request, { signal }))(), signal);
    } catch (thrown) {
      return this.#complete('approval_error', textOf(thrown));
    }
    if (answer === ABORTED) return;
    const parsed = planDecisionSchema.safeParse(answer);
    if (!parsed.success) return this.#complete('approval_error', BAD_ANSWER);
    const { data } = parsed;
    if (data.decision !== 'edit') {
      await this.#journal.emit({ type: 'plan.approval', payload: { revision, ...data } });
      if (data.decision === 'reject') await this.#complete('rejected', data.reason);
      return;
    }
    const edited = readPlan(data.steps, results.keys());
    if (!edited.ok)
      return this.#complete('bad_plan', `The edited plan is not valid: ${edited.message}`);
    await this.#journal.emit({
      type: 'plan.approval',
      payload: { revision, decision: 'edit' },
    });
    await this.#journal.emit({
      type: 'plan.draft',
      payload: { revision: revision + 1, source: 'person', steps: edited.plan },
    });
  }

  async #resume(): Promise<void> {
    const { decideInFlight } = this.#settings;
    let decided: readonly DecidedStep[] | typeof ABORTED;
    try {
      decided = await decideInFlightSteps(
        this.#journal,
        this.#runner,
        decideInFlight,
        this.#signal,
      );
    } catch (thrown) {
      await this.#journal.emit({ type: 'session.resume', payload: { inFlight: [] } });
      return this.#complete('approval_error', textOf(thrown));
    }
    // After an abort, `#advance` ends the session again.
    await recordDecisions(decided === ABORTED ? [] : decided, this.#journal, this.#runner);
  }

  #complete(reason: SessionReason, message?: string): Promise<void> {
    const { status } = SESSION_REASONS[reason];
    return this.#journal.emit({ type: 'session.complete', payload: { status, reason, message } });
  }

  async #onError(thrown: unknown): Promise<void> {
    const isJournal = thrown instanceof JournalError;
    const reason = isJournal ? 'store_error' : 'internal_error';
    const message = textOf(thrown);
    try {
      await this.#complete(reason, message);
    } catch {
      const { status } = SESSION_REASONS[reason];
      const payload = { status, reason, message } as const;
      this.#journal.emitUnwritten({ type: 'session.complete', payload });
    }
  }
}

const BAD_ANSWER =
  "The decision about the plan must be { decision: 'approve' }, { decision: 'reject', reason } or " +
  "{ decision: 'edit', steps }.";

function textOf(thrown: unknown): string {
  const { name, message } = readThrown(thrown);
  return `${name}: ${message}`;
}
