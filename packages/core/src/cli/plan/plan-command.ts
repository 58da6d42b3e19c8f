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
import { orMisuse } from '../shared/misuse.ts';
import { wholeNumber } from '../shared/option.ts';
import { toTaggedJson } from '../shared/parse-value.ts';
import { loadPlan } from './plan-file.ts';
import type { LoadedPlan } from './plan-file.ts';
import { diffLines, eventLine, plainLine, planLines, styleFor } from './plan-lines.ts';
import { carryOut, metadataOf, printEvent, printResult } from './plan-session.ts';
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

/** `glovebox plan`: carries out a plan; and what is done with its sessions afterwards. */
export function planCommand(): Command {
  const plan = withSessionFlags(
    new Command('plan').description('Carry out a plan: a file of steps, or a module that plans.'),
  )
    .argument('<file>', 'a .json file with goal and steps, or a module that exports a planner')
    .option('--module <file>', 'a module that exports the ToolRegistry, where <file> exports none')
    .option('--goal <text>', 'the goal, in place of the one in the file')
    .option('--max-steps <n>', `calls in all; ${DEFAULT_STEPS} by default`, wholeNumber)
    .option(
      '--max-replans <n>',
      `plans after the first; ${DEFAULT_REPLANS} by default`,
      wholeNumber,
    )
    .option('--dry-run', 'print the first plan, and carry out nothing')
    .addHelpText(
      'after',
      `
Plans, and calls that need approval, are asked about on the terminal; where there is none, they
are rejected unless --yes is given. Ctrl-C stops in good order, a second one at once.

Exit codes:
  0  the goal is met
  1  the planner failed, or gave what is no plan
  2  the command was not used right
  4  the session could not be written down
  5  the plan needs more steps than allowed
  6  plans failed more often than allowed
  7  there is no plan
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
  return withSessionFlags(new Command('resume').description('Go on with a session.'))
    .argument('<session>', 'its id')
    .action(async (id: string, flags: SessionFlags & StoreFlags) => exit(await resume(id, flags)));
}

function replayCommand(): Command {
  return withStore(new Command('replay').description('Show what a session did, and do nothing.'))
    .argument('<session>', 'its id')
    .option('--json', 'print the whole result as JSON')
    .option('--events', 'print the events as JSON, one a line')
    .action(async (id: string, flags: SessionFlags & StoreFlags) => exit(await replay(id, flags)));
}

function diffCommand(): Command {
  return withStore(new Command('diff').description('Compare two revisions of a plan.'))
    .argument('<session>', 'its id')
    .argument('<from>', 'number of a revision', wholeNumber)
    .argument('<to>', 'number of a revision', wholeNumber)
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
    'where sessions are kept',
    path.join(state, 'glovebox/sessions'),
  );
}

function withSessionFlags(command: Command): Command {
  return withStore(command)
    .option('--yes', 'approve all plans, and all calls that need approval')
    .option('--no-input', 'ask nobody: what would be asked about is rejected')
    .option('--json', 'print the whole result as JSON')
    .option('--events', 'print the events as JSON, one a line, as they come');
}

async function run(file: string, flags: RunFlags): Promise<number> {
  return orMisuse(async () => {
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
    return carryOut(setup, flags, (agent, options) =>
      agent.run(setup.goal, { ...options, metadata }),
    );
  });
}

const metadataSchema = z.object({ file: z.string(), module: z.string().optional() });

async function resume(sessionId: string, flags: SessionFlags & StoreFlags): Promise<number> {
  return orMisuse(async () => {
    const store = storeOf(flags);
    const session = await replaySession(store, sessionId);
    const metadata = metadataSchema.safeParse(session.metadata);
    if (!metadata.success) throw new Error(`Session ${sessionId} was not begun by this command.`);
    const loaded = await loadPlan(metadata.data.file, metadata.data.module);
    const { goal, maxSteps, maxReplans, events: past } = session;
    const setup = { ...loaded, goal, maxSteps, maxReplans, store, past };
    return carryOut(setup, flags, (agent, options) => agent.resume(sessionId, options));
  });
}

async function replay(sessionId: string, flags: SessionFlags & StoreFlags): Promise<number> {
  return orMisuse(async () => {
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
  return orMisuse(async () => {
    const result = await replaySession(storeOf(flags), sessionId);
    const [before, after] = [revisionOf(result, from), revisionOf(result, to)];
    // From one revision to the next it is what was told then: steps that were done do not count.
    const told =
      to === from + 1 ? result.revisions.find(({ revision }) => revision === to) : undefined;
    const changes = told ?? diffPlans(before, after);
    if (flags.json === true) process.stdout.write(`${JSON.stringify(changes)}\n`);
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

/** The plan of a revision, as it was in force or, where it never was, as it was drafted. */
function revisionOf({ events, sessionId }: SessionResult, revision: number): readonly PlanStep[] {
  for (const event of events.toReversed()) {
    const isPlan = event.type === 'plan.commit' || event.type === 'plan.draft';
    if (isPlan && event.payload.revision === revision) return event.payload.steps;
  }
  throw new Error(`Session ${sessionId} has no revision ${revision}.`);
}

/** Asks the planner once, and shows what it says. */
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
    process.stdout.write(`${JSON.stringify({ goal, steps: toTaggedJson(read.plan) })}\n`);
  } else {
    const lines = [plainLine(goal), ...planLines(read.plan, styleFor(process.stdout))];
    process.stdout.write(`${lines.join('\n')}\n`);
  }
  return read.plan.length === 0 ? EXIT.noPlan : EXIT.ok;
}
