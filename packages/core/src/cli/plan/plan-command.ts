import { homedir } from 'node:os';
import path from 'node:path';

import { Command } from 'commander';
import { z } from 'zod';

import { diffPlans } from '../../plan-execute/diff.ts';
import { FileSessionStore } from '../../plan-execute/file-store.ts';
import type { PlanStep } from '../../plan-execute/plan-steps.ts';
import { readGivenUp, readPlan } from '../../plan-execute/planner.ts';
import { replaySession } from '../../plan-execute/replay-session.ts';
import type { SessionResult } from '../../plan-execute/session-result.ts';
import { EXIT } from '../shared/exit-codes.ts';
import { exit } from '../shared/exit.ts';
import { jsonText } from '../shared/json-text.ts';
import { catchMisuse } from '../shared/misuse.ts';
import { wholeNumber } from '../shared/option.ts';
import { toTaggedJson } from '../shared/parse-value.ts';
import { loadPlan } from './plan-file.ts';
import type { LoadedPlan } from './plan-file.ts';
import { diffLines, eventLine, plainLine, planLines, styleFor } from './plan-lines.ts';
import { metadataOf, printEvent, printResult, runSession } from './plan-session.ts';
import type { SessionFlags } from './plan-session.ts';

interface StoreFlags {
  readonly store: string;
}

interface RunFlags extends SessionFlags, StoreFlags {
  readonly module?: string;
  readonly goal?: string;
  readonly maxSteps?: number;
  readonly maxReplans?: number;
  readonly dryRun?: boolean;
}

const DEFAULT_STEPS = 12;
const DEFAULT_REPLANS = 5;

/** `glovebox plan`: executes a plan; its subcommands resume, replay and compare sessions. */
export function planCommand(): Command {
  const plan = withSessionFlags(
    new Command('plan').description('Execute a plan: a file of steps, or a module with a planner.'),
  )
    .argument('<file>', 'a .json file with goal and steps, or a module that exports a planner')
    .option(
      '--module <file>',
      'a module that exports the ToolRegistry, if <file> does not export one',
    )
    .option('--goal <text>', 'the goal, in place of the goal in the file')
    .option(
      '--max-steps <n>',
      `maximum number of calls in all; ${DEFAULT_STEPS} by default`,
      wholeNumber,
    )
    .option(
      '--max-replans <n>',
      `maximum number of new plans after failures; ${DEFAULT_REPLANS} by default`,
      wholeNumber,
    )
    .option('--dry-run', 'print the first plan, and execute nothing')
    .addHelpText(
      'after',
      `
Plans, and calls that need approval, are asked about at the terminal. Without a terminal they are
rejected, unless --yes is given. Ctrl-C stops the session so that it can be resumed; a second Ctrl-C
ends the process at once.

Exit codes:
  0  the goal is met
  1  the planner failed, or returned an invalid plan
  2  wrong usage of the command
  4  the log of the session could not be written
  5  the plan needs more steps than allowed
  6  plans failed more often than allowed
  7  the plan is empty
  8  the plan was rejected
  9  the planner gave up
  130  interrupted

Examples:
  glovebox plan report.json --module ./tools.ts --yes
  glovebox plan ./planner.ts --goal 'ship the report' --events > events.ndjson
  glovebox plan resume 0d5c2f6e-5f5b-4f3e-9c9f-6f3a4d1f7a10`,
    )
    .action(async (file: string, flags: RunFlags) => exit(await run(file, flags)));
  for (const command of [resumeCommand(), replayCommand(), diffCommand()]) {
    plan.addCommand(command);
  }
  return plan;
}

function resumeCommand(): Command {
  return withSessionFlags(new Command('resume').description('Continue a session.'))
    .argument('<session>', 'its id')
    .action(async (id: string, flags: SessionFlags & StoreFlags) => exit(await resume(id, flags)));
}

function replayCommand(): Command {
  return withStore(
    new Command('replay').description('Show what a session did, without executing anything.'),
  )
    .argument('<session>', 'its id')
    .option('--json', 'print the whole result as JSON')
    .option('--events', 'print the events as JSON, one per line')
    .action(async (id: string, flags: SessionFlags & StoreFlags) => exit(await replay(id, flags)));
}

function diffCommand(): Command {
  return withStore(new Command('diff').description('Compare two revisions of a plan.'))
    .argument('<session>', 'its id')
    .argument('<from>', 'number of the older revision', wholeNumber)
    .argument('<to>', 'number of the newer revision', wholeNumber)
    .option('--json', 'print the difference as JSON')
    .action(async (id: string, from: number, to: number, flags: DiffFlags) =>
      exit(await diff(id, from, to, flags)),
    );
}

interface DiffFlags extends StoreFlags {
  readonly json?: boolean;
}

function withStore(command: Command): Command {
  const state = process.env['XDG_STATE_HOME'] ?? path.join(homedir(), '.local/state');
  return command.option(
    '--store <folder>',
    'folder with the logs of sessions',
    path.join(state, 'glovebox/sessions'),
  );
}

function withSessionFlags(command: Command): Command {
  return withStore(command)
    .option('--yes', 'approve all plans, and all calls that need approval')
    .option('--no-input', 'ask no questions: reject plans and calls that need approval')
    .option('--json', 'print the whole result as JSON')
    .option('--events', 'print the events as JSON, one per line, as they happen');
}

async function run(file: string, flags: RunFlags): Promise<number> {
  return catchMisuse(async () => {
    const loaded = await loadPlan(file, flags.module);
    const setup = {
      ...loaded,
      goal: flags.goal ?? loaded.goal,
      maxSteps: flags.maxSteps ?? loaded.maxSteps ?? DEFAULT_STEPS,
      maxReplans: flags.maxReplans ?? loaded.maxReplans ?? DEFAULT_REPLANS,
      store: storeOf(flags),
      past: [],
    };
    if (flags.dryRun === true) return printFirstPlan(setup, flags);
    const metadata = metadataOf(file, flags.module);
    return runSession(setup, flags, (agent, options) =>
      agent.run(setup.goal, { ...options, metadata }),
    );
  });
}

const metadataSchema = z.object({ file: z.string(), module: z.string().optional() });

async function resume(sessionId: string, flags: SessionFlags & StoreFlags): Promise<number> {
  return catchMisuse(async () => {
    const store = storeOf(flags);
    const session = await replaySession(store, sessionId);
    const metadata = metadataSchema.safeParse(session.metadata);
    if (!metadata.success) throw new Error(`Session ${sessionId} was not started by this command.`);
    const loaded = await loadPlan(metadata.data.file, metadata.data.module);
    const { goal, maxSteps, maxReplans, events: past } = session;
    const setup = { ...loaded, goal, maxSteps, maxReplans, store, past };
    return runSession(setup, flags, (agent, options) => agent.resume(sessionId, options));
  });
}

async function replay(sessionId: string, flags: SessionFlags & StoreFlags): Promise<number> {
  return catchMisuse(async () => {
    const result = await replaySession(storeOf(flags), sessionId);
    if (flags.events === true) for (const event of result.events) printEvent(event);
    if (flags.json === true) printResult({ ...result, resumable: false }, flags);
    if (flags.events === true || flags.json === true) return EXIT.ok;
    const lines = result.events.map((event) => eventLine(event, styleFor(process.stdout)));
    for (const line of lines) if (line !== undefined) process.stdout.write(`${line}\n`);
    return EXIT.ok;
  });
}

async function diff(
  sessionId: string,
  from: number,
  to: number,
  flags: DiffFlags,
): Promise<number> {
  return catchMisuse(async () => {
    const result = await replaySession(storeOf(flags), sessionId);
    const [before, after] = [revisionOf(result, from), revisionOf(result, to)];
    // For two consecutive revisions, use the diff of the session: it leaves out completed steps.
    const recorded =
      to === from + 1 ? result.revisions.find(({ revision }) => revision === to) : undefined;
    const changes = recorded ?? diffPlans(before, after);
    if (flags.json === true) process.stdout.write(`${jsonText(changes)}\n`);
    else {
      const lines = diffLines(changes, before, after, styleFor(process.stdout));
      process.stdout.write(lines.map((line) => `${line}\n`).join(''));
    }
    return EXIT.ok;
  });
}

function storeOf({ store }: StoreFlags): FileSessionStore {
  return new FileSessionStore({ directory: store });
}

/** The committed plan of a revision; its draft if the plan was never committed. */
function revisionOf({ events, sessionId }: SessionResult, revision: number): readonly PlanStep[] {
  for (const event of events.toReversed()) {
    const isPlan = event.type === 'plan.commit' || event.type === 'plan.draft';
    if (isPlan && event.payload.revision === revision) return event.payload.steps;
  }
  throw new Error(`Session ${sessionId} has no revision ${revision}.`);
}

/** Asks the planner once, and prints its plan. */
async function printFirstPlan(
  { goal, planner, maxSteps, maxReplans }: LoadedPlan & { maxSteps: number; maxReplans: number },
  flags: RunFlags,
): Promise<number> {
  const answer = await planner(goal, [], null, {
    signal: new AbortController().signal,
    sessionId: 'dry-run',
    remainingSteps: maxSteps,
    remainingReplans: maxReplans,
    resultIds: [],
  });
  if (readGivenUp(answer) !== undefined) return EXIT.gaveUp;
  const read = readPlan(answer);
  if (!read.ok) throw new Error(read.message);
  if (flags.json === true) {
    process.stdout.write(`${jsonText({ goal, steps: toTaggedJson(read.plan) })}\n`);
  } else {
    const lines = [plainLine(goal), ...planLines(read.plan, styleFor(process.stdout))];
    process.stdout.write(`${lines.join('\n')}\n`);
  }
  return read.plan.length === 0 ? EXIT.noPlan : EXIT.ok;
}
