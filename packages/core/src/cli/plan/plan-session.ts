import path from 'node:path';

import { Dispatcher } from '../../dispatch/dispatcher.ts';
import type { Approve } from '../../dispatch/tool-approval.ts';
import { Executor } from '../../executor/executor.ts';
import type { FileSessionStore } from '../../plan-execute/file-store.ts';
import type { PlanSessionOptions } from '../../plan-execute/plan-agent-options.ts';
import type { ApprovePlan } from '../../plan-execute/plan-approval.ts';
import type { PlanEvent } from '../../plan-execute/plan-events.ts';
import { PlanExecuteAgent } from '../../plan-execute/plan-execute-agent.ts';
import type { SessionResult } from '../../plan-execute/session-result.ts';
import { approveAll, createTerminalApproval, denyAll } from '../shared/ask-approval.ts';
import { exitCodeOfSession } from '../shared/exit-codes.ts';
import { interruption } from '../shared/interruption.ts';
import { jsonText } from '../shared/json-text.ts';
import { toTaggedJson } from '../shared/parse-value.ts';
import { approvePlan, askAboutInFlight, askAboutPlan, rejectPlan } from './ask-plan-approval.ts';
import type { LoadedPlan } from './plan-file.ts';
import { showPlan } from './plan-progress.ts';
import type { PlanProgress } from './plan-progress.ts';

/** Flags of the commands that execute a plan. */
export interface SessionFlags {
  readonly yes?: boolean;
  /** False with `--no-input`. */
  readonly input: boolean;
  readonly json?: boolean;
  readonly events?: boolean;
}

/** Metadata that is saved with a session, so that `resume` finds its plan and its tools. */
export interface PlanMetadata {
  readonly file: string;
  readonly module: string | undefined;
}

export interface SessionSetup extends Omit<LoadedPlan, 'maxSteps' | 'maxReplans'> {
  readonly maxSteps: number;
  readonly maxReplans: number;
  readonly store: FileSessionStore;
  /** Events of the session from before it was resumed. */
  readonly past: readonly PlanEvent[];
}

/** Runs a session, new or resumed: progress goes to stderr, the result to stdout. */
export async function runSession(
  setup: SessionSetup,
  flags: SessionFlags,
  start: (agent: PlanExecuteAgent, options: PlanSessionOptions) => Promise<SessionResult>,
): Promise<number> {
  const progress = showPlan(setup);
  const interrupt = interruption();
  // Created when a code step first needs it: host processes take time to start.
  let executor: Executor | undefined;
  await using closing = new AsyncDisposableStack();
  const { registry, planner, maxSteps, maxReplans, store } = setup;
  const agent = new PlanExecuteAgent({
    planner,
    dispatcher: new Dispatcher({
      registry,
      executor: {
        run: (options) => {
          executor ??= closing.use(new Executor({ spareHosts: 1 }));
          return executor.run(options);
        },
      },
      approve: toolApproval(flags, progress),
    }),
    maxSteps,
    maxReplans,
    store,
    ...planApproval(flags, progress),
  });
  let result: SessionResult;
  try {
    result = await start(agent, {
      signal: interrupt.signal,
      onEvent: (event) => {
        if (flags.events === true) printEvent(event);
        progress.onEvent(event);
      },
    });
  } finally {
    progress.stop();
    interrupt.stop();
  }
  printResult(result, flags);
  return exitCodeOfSession(result.reason);
}

export function printEvent(event: PlanEvent): void {
  process.stdout.write(`${jsonText(toTaggedJson(event))}\n`);
}

/** Prints the whole result if `--json` is given, otherwise the result of the last step. */
export function printResult(result: SessionResult, flags: SessionFlags): void {
  if (flags.json === true) process.stdout.write(`${jsonText(result)}\n`);
  else if (flags.events !== true && result.reason === 'goal_met') {
    const last = result.history.at(-1)?.result;
    if (last !== undefined) process.stdout.write(`${jsonText(toTaggedJson(last), 2)}\n`);
  }
  if (result.resumable) {
    process.stderr.write(`Resume it with: glovebox plan resume ${result.sessionId}\n`);
  }
}

export function metadataOf(file: string, module: string | undefined): PlanMetadata {
  return {
    file: path.resolve(file),
    module: module === undefined ? undefined : path.resolve(module),
  };
}

function canAsk({ input }: SessionFlags): boolean {
  return input && process.stdin.isTTY;
}

function toolApproval(flags: SessionFlags, progress: PlanProgress): Approve {
  if (flags.yes === true) return approveAll;
  if (!canAsk(flags)) return denyAll;
  const ask = createTerminalApproval();
  return (request, context) => progress.around(async () => ask(request, context));
}

function planApproval(
  flags: SessionFlags,
  progress: PlanProgress,
): { approve: ApprovePlan } & Pick<PlanSessionOptions, 'decideInFlight'> {
  // `--yes` approves plans, but does not say whether an interrupted step took effect.
  if (!canAsk(flags)) return { approve: flags.yes === true ? approvePlan : rejectPlan };
  return {
    approve:
      flags.yes === true
        ? approvePlan
        : (request, context) => progress.around(async () => askAboutPlan(request, context)),
    decideInFlight: (question, context) =>
      progress.around(async () => askAboutInFlight(question, context)),
  };
}
