import { createLogUpdate } from 'log-update';
import sliceAnsi from 'slice-ansi';

import type { PlanEvent } from '../../plan-execute/plan-events.ts';
import { eventLine, plainLine, rowLine, seconds, styleFor } from './plan-lines.ts';
import { PlanView } from './plan-view.ts';

/** Shows the progress of a session on stderr. */
export interface PlanProgress {
  onEvent(event: PlanEvent): void;
  /** Hides the progress while `ask` uses the terminal. */
  around<T>(ask: () => Promise<T>): Promise<T>;
  /** Shows the final state and stops updating. */
  stop(): void;
}

export interface ProgressOptions {
  readonly goal: string;
  readonly maxSteps: number;
  readonly maxReplans: number;
  /** Events of the session from before it was resumed. */
  readonly past: readonly PlanEvent[];
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
/** Lines that are not rows: goal, two for the number of hidden rows, counters, cursor line. */
const OTHER_LINES = 5;

/** Shows a checklist that is redrawn if the terminal supports it, otherwise one line per event. */
export function showPlan(options: ProgressOptions): PlanProgress {
  const { env, stderr } = process;
  const canDraw = stderr.isTTY && env['TERM'] !== 'dumb' && env['CI'] === undefined;
  return canDraw ? new Checklist(options) : new Lines();
}

class Lines implements PlanProgress {
  onEvent(event: PlanEvent): void {
    const line = eventLine(event, styleFor(process.stderr));
    if (line !== undefined) process.stderr.write(`${line}\n`);
  }

  around<T>(ask: () => Promise<T>): Promise<T> {
    return ask();
  }

  stop(): void {
    // All lines are already written.
  }
}

class Checklist implements PlanProgress {
  readonly #options: ProgressOptions;
  readonly #view = new PlanView();
  readonly #draw = createLogUpdate(process.stderr);
  readonly #startedAt = Date.now();
  readonly #timer: NodeJS.Timeout;
  #asking = 0;
  #end: string | undefined;

  constructor(options: ProgressOptions) {
    this.#options = options;
    for (const event of options.past) this.#view.apply(event);
    this.#timer = setInterval(() => this.#show(), FRAME_MS);
  }

  onEvent(event: PlanEvent): void {
    this.#view.apply(event);
    // The rows do not show these events.
    if (event.type === 'session.complete') this.#end = eventLine(event, styleFor(process.stderr));
    if (event.type === 'session.resume') {
      this.#draw.persist(eventLine(event, styleFor(process.stderr)) ?? '');
    }
    this.#show();
  }

  async around<T>(ask: () => Promise<T>): Promise<T> {
    this.#asking++;
    this.#draw.clear();
    try {
      return await ask();
    } finally {
      this.#asking--;
      this.#show();
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#show();
    this.#draw.done();
    if (this.#end !== undefined) process.stderr.write(`${this.#end}\n`);
  }

  #show(): void {
    if (this.#asking === 0) this.#draw(this.#lines().map(cutLine).join('\n'));
  }

  #lines(): string[] {
    const style = styleFor(process.stderr);
    const now = Date.now();
    const { rows, stepsTaken, replansUsed } = this.#view;
    const { goal, maxSteps, maxReplans } = this.#options;
    const room = Math.max(3, (process.stderr.rows ?? 24) - OTHER_LINES);
    const active = rows.findIndex(({ state }) => state === 'running' || state === 'waiting');
    const last = Math.max(0, rows.length - room);
    const first = Math.min(last, Math.max(0, (active < 0 ? rows.length : active) - room / 2));
    const from = Math.floor(first);
    const shown = rows.slice(from, from + room);
    const below = rows.length - from - shown.length;
    const frame = FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length];
    const counters = [
      `steps ${stepsTaken}/${maxSteps}`,
      `replans ${replansUsed}/${maxReplans}`,
      seconds(now - this.#startedAt),
    ];
    return [
      style('bold', plainLine(goal)),
      ...(from > 0 ? [style('dim', `  … ${from} above`)] : []),
      ...shown.map((row) => rowLine(row, now, style, frame)),
      ...(below > 0 ? [style('dim', `  … ${below} below`)] : []),
      style('dim', counters.join(' · ')),
    ];
  }
}

/** Cuts a line to the width of the terminal: a wrapped line would break the count of lines. */
function cutLine(line: string): string {
  return sliceAnsi(line, 0, process.stderr.columns - 1);
}
