import type { PlanDiff, PlanSource } from './diff.ts';
import { gatherResult } from './gather-result.ts';
import type { PlanEvent, PlanEventPayloads } from './plan-events.ts';
import { isGather } from './plan-steps.ts';
import type { GatherStep, PlanStep, SingleStep } from './plan-steps.ts';
import { recordOf } from './step-records.ts';
import type { StepEnd, StepRecord } from './step-records.ts';

/** A plan that is not in force yet. */
interface Draft {
  readonly revision: number;
  readonly source: PlanSource;
  readonly steps: readonly PlanStep[];
  /** What it is compared with: what was left of the plan, or the draft that a person edited. */
  readonly before: readonly PlanStep[];
  isCompared: boolean;
  isApproved: boolean;
}

/** A gather that is under way. */
interface OpenGather {
  readonly step: GatherStep;
  readonly branches: ReadonlyMap<number, SingleStep>;
  /** How branches ended, by their ids; those under way or not begun are not in it. */
  readonly ends: Map<number, StepEnd>;
}

/** A step that was begun, and whose end is not known. */
export interface InFlight {
  readonly step: SingleStep;
  readonly signature: string;
  readonly gatherId: number | undefined;
}

/** A result that a later revision may take. */
interface Done {
  readonly stepId: number;
  readonly result: unknown;
  readonly revision: number;
}

/**
 * Where a session stands: what its events add up to, and nothing else. A session that is read from
 * its log stands where it stood when the log was written.
 */
export class SessionState {
  plan: readonly PlanStep[] | undefined;
  draft: Draft | undefined;
  revision = 0;
  /** Place of the next step in the plan. */
  cursor = 0;
  /** Calls that count against `maxSteps`. */
  stepsTaken = 0;
  replansUsed = 0;
  /** A step failed, and there is no new plan yet. */
  hasFailed = false;
  lastError: string | null = null;
  gather: OpenGather | undefined;
  completion: PlanEventPayloads['session.complete'] | undefined;
  readonly revisions: PlanDiff[] = [];
  /** Results by the ids of their steps; the latest of each id. */
  readonly results = new Map<number, unknown>();
  readonly inFlight = new Map<number, InFlight>();
  readonly #history: StepRecord[] = [];
  readonly #done = new Map<string, Done>();

  /** What was carried out, in the order of the plans; branches that are done count. */
  get history(): readonly StepRecord[] {
    return this.gather === undefined
      ? this.#history
      : [...this.#history, ...this.#branchRecords(this.gather)];
  }

  /** The steps of the plan that are not done, the failed one among them. */
  get remaining(): readonly PlanStep[] {
    return (this.plan ?? [])
      .slice(this.cursor)
      .map((step, place) => (place === 0 && isGather(step) ? this.#withoutDone(step) : step));
  }

  /** What an earlier revision has got for the same tool and arguments. */
  findDone(signature: string): Done | undefined {
    const done = this.#done.get(signature);
    return done !== undefined && done.revision < this.revision ? done : undefined;
  }

  /** Throws where the event cannot follow those before it. */
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
        if (done === undefined) throw new Error(`Step ${stepId} takes a result that nobody has.`);
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
    // Nobody knows what an aborted step has done: it stays under way.
    if (outcome === 'aborted') return;
    const begun = this.inFlight.get(stepId);
    if (begun === undefined) throw new Error(`Step ${stepId} ends without having begun.`);
    const { step, signature, gatherId } = begun;
    this.inFlight.delete(stepId);
    if (outcome === 'ok') {
      this.#done.set(signature, { stepId, result: end.result, revision: this.revision });
    }
    this.#endStep(step, end, gatherId);
  }

  #endStep(step: SingleStep, end: StepEnd, gatherId: number | undefined): void {
    const isOk = end.error === undefined;
    if (isOk) this.results.set(step.id, end.result);
    // What a step of this id gave in an earlier plan is not the result of this one.
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
    if (gather?.step.id !== stepId) throw new Error(`Gather ${stepId} ends without having begun.`);
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

  /** A gather with the branches only that have not gone well. */
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
