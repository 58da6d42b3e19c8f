import path from 'node:path';
import { pathToFileURL } from 'node:url';

import type { AgentEvent } from '../../code-agent/agent-options.ts';
import type { AgentResult } from '../../code-agent/agent-result.ts';
import type { StepContext } from '../../code-agent/callbacks.ts';
import { loadAgent } from '../../code-agent/folder/load-agent.ts';
import type { LoadAgentOptions } from '../../code-agent/folder/load-agent.ts';
import type { AgentMemory } from '../../code-agent/memory/agent-memory.ts';
import type { PlanningStep } from '../../code-agent/memory/agent-steps.ts';
import { renderValue } from '../../code-mode/render-outcome.ts';
import type { Approve } from '../../dispatch/tool-approval.ts';
import { Executor } from '../../executor/executor.ts';
import { plainText } from '../../shared/plain-text.ts';
import { styleFor } from '../plan/plan-lines.ts';
import { approveAll, createTerminalApproval, denyAll } from '../shared/ask-approval.ts';
import { editText } from '../shared/editor.ts';
import { exitCodeOfAgent } from '../shared/exit-codes.ts';
import { interruption } from '../shared/interruption.ts';
import { jsonText } from '../shared/json-text.ts';
import { toTaggedJson } from '../shared/parse-value.ts';
import { printValue } from '../shared/print-value.ts';
import { withTerminal } from '../shared/terminal.ts';
import { readVariables } from '../shared/variables.ts';

export interface AgentRunFlags {
  readonly module?: string;
  readonly vars?: string;
  readonly var: readonly string[];
  readonly maxSteps?: number;
  readonly maxTokens?: number;
  readonly yes?: boolean;
  /** False with `--no-input`. */
  readonly input: boolean;
  readonly json?: boolean;
}

const MAX_SHOWN = 100_000;

/** Loads an agent and runs it on a task. Throws errors that the user can correct. */
export async function runAgent(
  folder: string,
  task: string,
  flags: AgentRunFlags,
): Promise<number> {
  const variables = await readVariables(flags.vars, flags.var);
  const parts = flags.module === undefined ? {} : await loadParts(flags.module);
  const canAsk = flags.input && process.stdin.isTTY;
  const interrupt = interruption();
  try {
    await using executor = new Executor({ hosts: 1 });
    await using agent = await loadAgent(folder, {
      ...parts,
      executor,
      approve: approvalOf(flags, canAsk),
    });
    const result = await agent.run(task, {
      variables,
      maxSteps: flags.maxSteps,
      maxTokens: flags.maxTokens,
      signal: interrupt.signal,
      stream: showProgress(),
      stepCallbacks: flags.yes === true ? {} : { planning: canAsk ? reviewPlan : rejectPlan },
    });
    print(result, agent.memory, flags);
    return exitCodeOfAgent(result.reason);
  } finally {
    interrupt.stop();
  }
}

/**
 * Loads the parts that the folder does not contain from the user's own module. It runs in this
 * process, with all rights.
 */
async function loadParts(file: string): Promise<Omit<LoadAgentOptions, 'executor'>> {
  const loaded = (await import(pathToFileURL(path.resolve(file)).href)) as LoadAgentOptions;
  const { models, tools, callbacks, finalAnswerChecks } = loaded;
  // `loadAgent` validates them.
  return { models, tools, callbacks, finalAnswerChecks };
}

function approvalOf(flags: AgentRunFlags, canAsk: boolean): Approve {
  if (flags.yes === true) return approveAll;
  return canAsk ? createTerminalApproval() : denyAll;
}

function rejectPlan(_step: PlanningStep, { interrupt }: StepContext): void {
  interrupt('The plan was rejected: nobody can be asked here; use a terminal, or --yes.');
}

/** Asks at the terminal about a plan. The plan is already printed: it was streamed. */
async function reviewPlan(step: PlanningStep, { signal, interrupt }: StepContext): Promise<void> {
  await withTerminal(signal, async (question) => {
    for (;;) {
      const answer = await question('Continue with this plan? (y)es, (n)o, (e)dit: ');
      switch (answer?.toLowerCase()) {
        case 'y':
        case 'yes':
          return;
        case undefined:
        case 'n':
        case 'no':
          interrupt('The plan was rejected.');
          return;
        case 'e':
        case 'edit': {
          const edited = editText(`${step.plan}\n`, 'plan.md');
          if (edited === undefined) break;
          step.plan = edited.trimEnd();
          process.stderr.write(`${plainText(step.plan)}\n`);
        }
      }
    }
  });
}

function write(text: string): void {
  process.stderr.write(plainText(text));
}

/** Writes plans to stderr while they are streamed, and steps when they have ended. */
function showProgress(): (event: AgentEvent) => void {
  const style = styleFor(process.stderr);
  let isInPlan = false;
  return (event) => {
    if (event.type === 'text') {
      if (event.step !== 'planning') return;
      if (!isInPlan) process.stderr.write(`${style('bold', 'Plan')}\n`);
      isInPlan = true;
      // A control sequence may be split over two parts: `plainText` then still removes its start.
      write(event.text);
      // The question about the plan starts on a new line.
      if (event.text.includes('<end_plan>')) write('\n');
      return;
    }
    const { step } = event;
    if (step.type === 'planning') {
      isInPlan = false;
      write('\n');
    }
    if (step.type !== 'action') return;
    process.stderr.write(`${style('bold', `Step ${step.stepNumber}`)}\n`);
    if (step.code !== undefined) process.stderr.write(`${style('cyan', plainText(step.code))}\n`);
    const color = step.error === undefined ? 'dim' : 'red';
    process.stderr.write(`${style(color, plainText(step.observation))}\n\n`);
  };
}

function print(result: AgentResult, memory: AgentMemory, flags: AgentRunFlags): void {
  if (flags.json === true) {
    const { cause: _cause, answer, ...facts } = result;
    const steps = toTaggedJson(memory.succinctSteps());
    process.stdout.write(`${jsonText({ ...facts, answer: toTaggedJson(answer), steps })}\n`);
  } else if (result.reason === 'answered') {
    printValue(result.answer);
  } else {
    process.stderr.write(`glovebox: ${plainText(result.message)}\n`);
    if (result.answer !== undefined) {
      process.stderr.write(`${plainText(renderValue(result.answer, MAX_SHOWN))}\n`);
    }
  }
}
