import type { PlanDiff } from '../../plan-execute/diff.ts';
import type { PlanEvent } from '../../plan-execute/plan-events.ts';
import { isGather, toolNameOf } from '../../plan-execute/plan-steps.ts';
import type { PlanStep } from '../../plan-execute/plan-steps.ts';

export type RowState =
  | 'waiting'
  | 'running'
  | 'ok'
  | 'cached'
  | 'failed'
  | 'cancelled'
  | 'stopped'
  | 'removed';

/** A step in the checklist. */
export interface Row {
  readonly id: number;
  readonly tool: string;
  readonly expectedOutcome: string;
  readonly isBranch: boolean;
  readonly change: 'added' | 'revised' | undefined;
  state: RowState;
  startedAt: number | undefined;
  endedAt: number | undefined;
  error: string | undefined;
}

/** The contents of the checklist, updated by the events of a session. */
export class PlanView {
  rows: Row[] = [];
  stepsTaken = 0;
  replansUsed = 0;
  /** Rows of the current plan, by step id. */
  #current = new Map<number, Row>();
  #diff: PlanDiff | undefined;

  apply(event: PlanEvent): void {
    switch (event.type) {
      case 'plan.draft':
        if (event.payload.source === 'planner' && event.payload.revision > 0) this.replansUsed++;
        break;
      case 'plan.diff':
        this.#diff = event.payload;
        break;
      case 'plan.commit':
        this.#commit(event.payload.steps);
        break;
      case 'gather.start':
        this.#change(event.payload.stepId, { state: 'running', startedAt: event.ts });
        break;
      case 'step.start':
        if (event.payload.again !== true) this.stepsTaken++;
        this.#change(event.payload.stepId, { state: 'running', startedAt: event.ts });
        break;
      case 'step.cached':
        this.#change(event.payload.stepId, { state: 'cached' });
        break;
      case 'step.end':
      case 'gather.end': {
        const { stepId, outcome, error } = event.payload;
        this.#change(stepId, { state: STATES[outcome], endedAt: event.ts, error });
        break;
      }
      case 'session.complete':
        for (const row of this.rows) if (row.state === 'running') row.state = 'stopped';
        break;
      case 'plan.approval':
      case 'session.resume':
        break;
    }
  }

  #change(id: number, change: Partial<Row>): void {
    const row = this.#current.get(id);
    if (row !== undefined) Object.assign(row, change);
  }

  /** Keeps rows of started steps, marks removed steps, and adds the rows of the new plan. */
  #commit(steps: readonly PlanStep[]): void {
    const removed = new Set(this.#diff?.removed);
    for (const row of this.rows) {
      if (row.state === 'waiting' && removed.has(row.id)) row.state = 'removed';
    }
    this.rows = this.rows.filter(({ state }) => state !== 'waiting');
    this.#current = new Map();
    for (const row of steps.flatMap(rowsOf)) {
      const shown: Row = { ...row, change: changeOf(row.id, this.#diff) };
      this.rows.push(shown);
      this.#current.set(row.id, shown);
    }
  }
}

/** The state of a row whose step ended with this outcome. */
export const STATES = {
  ok: 'ok',
  error: 'failed',
  cancelled: 'cancelled',
  aborted: 'stopped',
} as const;

/** How a new plan changes a step. */
export function changeOf(
  id: number,
  diff: Pick<PlanDiff, 'added' | 'revised'> | undefined,
): Row['change'] {
  if (diff?.added.includes(id) === true) return 'added';
  return diff?.revised.includes(id) === true ? 'revised' : undefined;
}

/** The rows of a planned step: a gather is followed by its branches. */
export function rowsOf(step: PlanStep): Row[] {
  const { id, expectedOutcome = '' } = step;
  const common = {
    id,
    expectedOutcome,
    isBranch: false,
    change: undefined,
    state: 'waiting',
    startedAt: undefined,
    endedAt: undefined,
    error: undefined,
  } as const;
  if (!isGather(step)) return [{ ...common, tool: toolNameOf(step) }];
  return [
    { ...common, tool: `gather (${step.policy ?? 'all'})` },
    ...step.gather.flatMap(rowsOf).map((row) => ({ ...row, isBranch: true })),
  ];
}
