import { styleText } from 'node:util';

import type { PlanDiff } from '../../plan-execute/diff.ts';
import type { PlanEvent } from '../../plan-execute/plan-events.ts';
import type { PlanStep } from '../../plan-execute/plan-steps.ts';
import { SESSION_REASONS } from '../../plan-execute/session-reasons.ts';
import { plainText } from '../../shared/plain-text.ts';
import { changeOf, rowsOf, STATES } from './plan-view.ts';
import type { Row, RowState } from './plan-view.ts';

/** Applies a text style, if the stream supports it. */
type Style = (format: Parameters<typeof styleText>[0], text: string) => string;

export function styleFor(stream: NodeJS.WriteStream): Style {
  return (format, text) => styleText(format, text, { stream });
}

const MARKS: Readonly<
  Record<RowState, readonly [color: 'green' | 'red' | 'cyan' | 'dim', mark: string]>
> = {
  waiting: ['dim', '○'],
  running: ['cyan', '●'],
  ok: ['green', '✔'],
  cached: ['green', '↺'],
  failed: ['red', '✖'],
  cancelled: ['dim', '–'],
  stopped: ['red', '■'],
  removed: ['dim', '-'],
};

const MAX_TEXT = 200;

/** Untrusted text as one line of limited length, without terminal control sequences. */
export function plainLine(text: string): string {
  const line = plainText(text).replaceAll(/\s+/g, ' ');
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** The line of text for a row of the checklist. */
export function rowLine(row: Row, now: number, style: Style, runningMark?: string): string {
  const { id, tool, state, change, startedAt, endedAt, expectedOutcome, error } = row;
  const [color, mark] = MARKS[state];
  const indent = row.isBranch ? '    ' : '  ';
  const name = plainLine(`${id} ${tool}`);
  const title =
    state === 'removed'
      ? style(['dim', 'strikethrough'], name)
      : change === 'added'
        ? style(['green', 'bold'], `+ ${name}`)
        : change === 'revised'
          ? style(['yellow', 'bold'], `~ ${name}`)
          : name;
  const parts = [
    `${indent}${style(color, state === 'running' ? (runningMark ?? mark) : mark)} ${title}`,
    startedAt === undefined ? '' : style('dim', seconds((endedAt ?? now) - startedAt)),
    state === 'cached' ? style('dim', 'result reused') : '',
    error === undefined ? '' : style('red', plainLine(error)),
    expectedOutcome === '' || state === 'removed' ? '' : style('dim', plainLine(expectedOutcome)),
  ];
  return parts.filter((part) => part !== '').join('  ');
}

/** A plan as lines of text, with no step started. Added and revised steps are highlighted. */
export function planLines(
  steps: readonly PlanStep[],
  style: Style,
  diff?: Pick<PlanDiff, 'added' | 'revised'>,
): string[] {
  return steps
    .flatMap(rowsOf)
    .map((row) => rowLine({ ...row, change: changeOf(row.id, diff) }, 0, style));
}

/** The changes from one plan to the next, one line per step. */
export function diffLines(
  { removed, added, revised, moved, outcomeChanged }: Omit<PlanDiff, 'revision' | 'source'>,
  before: readonly PlanStep[],
  after: readonly PlanStep[],
  style: Style,
): string[] {
  const old = new Map(before.flatMap(rowsOf).map((row) => [row.id, row]));
  const next = new Map(after.flatMap(rowsOf).map((row) => [row.id, row]));
  const others = new Set([...revised, ...added]);
  return [
    ...removed.map((id) => style(['red', 'strikethrough'], changeLine('-', old.get(id)))),
    ...added.map((id) => style('green', changeLine('+', next.get(id)))),
    ...revised.map((id) => style('yellow', changeLine('~', next.get(id)))),
    ...moved
      .filter((id) => !others.has(id))
      .map((id) => style('dim', changeLine('↕', next.get(id)))),
    ...outcomeChanged
      .filter((id) => !others.has(id) && !moved.includes(id))
      .map((id) => style('dim', changeLine('≈', next.get(id)))),
  ];
}

function changeLine(mark: string, row: Row | undefined): string {
  if (row === undefined) return mark;
  const { id, tool, expectedOutcome } = row;
  return [`${mark} ${plainLine(`${id} ${tool}`)}`, plainLine(expectedOutcome)]
    .filter((part) => part !== '')
    .join('  ');
}

/** An event as a line, for output without a checklist; undefined if the event needs no line. */
export function eventLine(event: PlanEvent, style: Style): string | undefined {
  switch (event.type) {
    case 'plan.draft':
      return undefined;
    case 'plan.diff': {
      const { revision, source, removed, added, revised } = event.payload;
      const changes = [...marked('-', removed), ...marked('+', added), ...marked('~', revised)];
      const what = changes.length === 0 ? 'the same steps' : changes.join(' ');
      return style('yellow', `plan ${revision} by ${source}: ${what}`);
    }
    case 'plan.approval': {
      const { revision, decision, reason } = event.payload;
      return `plan ${revision}: ${decision}${reason === undefined ? '' : ` (${plainLine(reason)})`}`;
    }
    case 'plan.commit': {
      const { revision, steps } = event.payload;
      return `plan ${revision}: ${count(steps.length, 'step')}`;
    }
    case 'gather.start':
      return `  ${event.payload.stepId} gather (${event.payload.policy}): ${count(event.payload.branches.length, 'branch', 'branches')}`;
    case 'step.start': {
      const { stepId, toolName, again } = event.payload;
      return `  ${style('cyan', '●')} ${stepId} ${plainLine(toolName)}${again === true ? ' again' : ''}`;
    }
    case 'step.cached':
      return `  ${style('green', '↺')} ${event.payload.stepId} ${plainLine(event.payload.toolName)}  result reused`;
    case 'step.end':
    case 'gather.end': {
      const { stepId, outcome, error } = event.payload;
      const [color, mark] = MARKS[STATES[outcome]];
      return `  ${style(color, mark)} ${stepId}${error === undefined ? '' : `  ${style('red', plainLine(error))}`}`;
    }
    case 'session.resume': {
      const interrupted = event.payload.inFlight.map(
        ({ stepId, action }) => `${stepId} (${IN_FLIGHT_ACTIONS[action]})`,
      );
      const steps =
        interrupted.length === 0 ? '' : `; interrupted steps: ${interrupted.join(', ')}`;
      return `resumed${steps}`;
    }
    case 'session.complete': {
      const { status, reason, message } = event.payload;
      const title = style(status === 'completed' ? 'green' : 'red', reason);
      return `${title} ${message === undefined ? SESSION_REASONS[reason].when : plainLine(message)}`;
    }
  }
}

const IN_FLIGHT_ACTIONS = {
  run_again: 'run again',
  fail: 'marked as failed, it may have taken effect',
  take_result: 'marked as done',
} as const;

function marked(mark: string, ids: readonly number[]): string[] {
  return ids.map((id) => mark + id);
}

function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}
