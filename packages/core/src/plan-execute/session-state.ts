import type { PlanDiff, PlanSource } from './diff.ts';
import { gatherResult } from './gather-result.ts';
import type { PlanEvent, PlanEventPayloads } from './plan-events.ts';
import { isGather } from './plan-steps.ts';
import type { GatherStep, PlanStep, SingleStep } from './plan-steps.ts';
import { recordOf } from './step-records.ts';
import type { StepEnd, StepRecord } from './step-records.ts';

/** A plan that has not taken effect yet. */
interface Draft {
  readonly revision: number;
  readonly source: PlanSource;
  readonly steps: readonly PlanStep[];
  /** The steps to compare with: the remaining steps of the plan, or the draft that was edited. */
  readonly before: readonly PlanStep[];
  isCompared: boolean;
  isApproved: boolean;
}

/** A gather that is running. */
interface OpenGather {
  readonly step: GatherStep;
  readonly branches: ReadonlyMap<number, SingleStep>;
  /** How branches ended, by id; without branches that are running or not started. */
  readonly ends: Map<number, StepEnd>;
}

/** A step that was started and whose end is not known. */
export interface InFlight {
  readonly step: SingleStep;
  readonly signature: string;
  readonly gatherId: number | undefined;
}

/** A result that a later revision may reuse. */
interface ReusableResult {
  readonly stepId: number;
  readonly result: unknown;
  readonly revision: number;
}

/**
 * The state of a session. It depends only on the events, so reading the log of a session gives the
 * state that it had when the log was written.
 */
export class SessionState {
  plan: readonly PlanStep[] | undefined;
  draft: Draft | undefined;
  revision = 0;
  /** Index of the next step in the plan. */
  cursor = 0;
  /** Calls that count against `maxSteps`. */
  stepsTaken = 0;
  replansUsed = 0;
  /** Whether a step failed and there is no new plan yet. */
  hasFailed = false;
  lastError: string | null = null;
  gather: OpenGather | undefined;
  completion: PlanEventPayloads['session.complete'] | undefined;
  readonly revisions: PlanDiff[] = [];
  /** The latest result of each step, by step id. */
  readonly results = new Map<number, unknown>();
  readonly inFlight = new Map<number, InFlight>();
  readonly #history: StepRecord[] = [];
  readonly #done = new Map<string, ReusableResult>();

  /** The executed steps in the order of the plans, with ended branches of a running gather. */
  get history(): readonly StepRecord[] {
    return this.gather === undefined
      ? this.#history
      : [...this.#history, ...this.#branchRecords(this.gather)];
  }

  /** The steps of the plan that are not done, including the failed step. */
  get remaining(): readonly PlanStep[] {
    return (this.plan ?? [])
      .slice(this.cursor)
      .map((step, place) => (place === 0 && isGather(step) ? this.#withoutDone(step) : step));
  }

  /** The result that an earlier revision got for the same tool and arguments. */
  findDone(signature: string): ReusableResult | undefined {
    const done = this.#done.get(signature);
    return done !== undefined && done.revision < this.revision ? done : undefined;
  }

  /** Applies an event. Throws if it cannot follow the events before it. */
  apply(event: PlanEvent): void {
    switch (event.type) {
      case 'plan.draft': {
        const { revision, source, steps } = event.payload;
        const before = source === 'person' ? (this.draft?.steps ?? this.remaining) : this.remaining;
        this.draft = { revision, source, steps, before, isCompared: false, isApproved: false };
        if (source === 'planner' && revision > 0) this.replansUsed++;
        break;
      }
      case 'plan.diff':
        this.revisions.push(event.payload);
        if (this.draft !== undefined) this.draft.isCompared = true;
        break;
      case 'plan.approval':
        if (this.draft !== undefined) this.draft.isApproved = event.payload.decision === 'approve';
        break;
      case 'plan.commit':
        this.plan = event.payload.steps;
        this.revision = event.payload.revision;
        this.cursor = 0;
        this.hasFailed = false;
        this.draft = undefined;
        break;
      case 'gather.start': {
        const step = this.#gatherStep(event.payload.stepId);
        const branches = new Map(step.gather.map((branch) => [branch.id, branch]));
        this.gather = { step, branches, ends: new Map() };
        break;
      }
      case 'step.start': {
        const { stepId, gatherId, signature, again = false } = event.payload;
        const step = this.#singleStep(stepId, gatherId);
        this.inFlight.set(stepId, { step, signature, gatherId });
        if (!again) this.stepsTaken++;
        break;
      }
      case 'step.cached': {
        const { stepId, gatherId, signature } = event.payload;
        const done = this.#done.get(signature);
        if (done === undefined)
          throw new Error(`Step ${stepId} reuses a result that does not exist.`);
        const end = { result: done.result, cached: true };
        this.#endStep(this.#singleStep(stepId, gatherId), end, gatherId);
        break;
      }
      case 'step.end':
        this.#onStepEnd(event.payload);
        break;
      case 'gather.end':
        this.#onGatherEnd(event.payload);
        break;
      case 'session.resume':
        this.completion = undefined;
        break;
      case 'session.complete':
        this.completion = event.payload;
        break;
    }
  }

  #onStepEnd({ stepId, outcome, ...end }: PlanEventPayloads['step.end']): void {
    // It is unknown whether an aborted step took effect: it stays in flight.
    if (outcome === 'aborted') return;
    const started = this.inFlight.get(stepId);
    if (started === undefined) throw new Error(`Step ${stepId} ended without a start.`);
    const { step, signature, gatherId } = started;
    this.inFlight.delete(stepId);
    if (outcome === 'ok') {
      this.#done.set(signature, { stepId, result: end.result, revision: this.revision });
    }
    this.#endStep(step, end, gatherId);
  }

  #endStep(step: SingleStep, end: StepEnd, gatherId: number | undefined): void {
    const isOk = end.error === undefined;
    if (isOk) this.results.set(step.id, end.result);
    // A result of an earlier step with this id must not count as the result of this step.
    else this.results.delete(step.id);
    if (gatherId !== undefined) {
      this.gather?.ends.set(step.id, end);
      return;
    }
    this.#history.push(recordOf(step, end, this.revision));
    if (isOk) this.cursor++;
    else this.#fail(end.error);
  }

  #onGatherEnd({ stepId, outcome, winner, error }: PlanEventPayloads['gather.end']): void {
    const { gather } = this;
    if (gather?.step.id !== stepId) throw new Error(`Gather ${stepId} ended without a start.`);
    this.#history.push(...this.#branchRecords(gather));
    if (outcome === 'ok') {
      this.results.set(stepId, gatherResult(gather.step, gather.ends, winner));
      this.gather = undefined;
      this.cursor++;
      return;
    }
    this.results.delete(stepId);
    this.#fail(error);
    const done = this.#withoutDone(gather.step);
    this.plan = this.plan?.with(this.cursor, done);
    this.gather = undefined;
  }

  #fail(error: string | undefined): void {
    this.hasFailed = true;
    this.lastError = error ?? null;
  }

  #branchRecords({ step, ends }: OpenGather): StepRecord[] {
    return step.gather.flatMap((branch) => {
      const end = ends.get(branch.id);
      return end === undefined ? [] : [recordOf(branch, end, this.revision)];
    });
  }

  /** A gather with only those branches that have not succeeded. */
  #withoutDone(step: GatherStep): GatherStep {
    const { ends } = this.gather ?? {};
    if (ends === undefined) return step;
    return {
      ...step,
      gather: step.gather.filter(({ id }) => ends.get(id)?.error !== undefined || !ends.has(id)),
    };
  }

  #gatherStep(id: number): GatherStep {
    const step = this.plan?.[this.cursor];
    if (step === undefined || !isGather(step) || step.id !== id) {
      throw new Error(`Gather ${id} is not next in the plan.`);
    }
    return step;
  }

  #singleStep(id: number, gatherId: number | undefined): SingleStep {
    const next = this.plan?.[this.cursor];
    const step =
      gatherId === undefined || gatherId !== this.gather?.step.id
        ? next
        : this.gather.branches.get(id);
    if (step === undefined || isGather(step) || step.id !== id) {
      throw new Error(`Step ${id} is not next in the plan.`);
    }
    return step;
  }
}
