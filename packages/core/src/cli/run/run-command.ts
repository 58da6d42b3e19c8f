import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { styleText } from 'node:util';

import type { LimitsInput } from '@glovebox/protocol/limits';
import { Command } from 'commander';

import { Executor } from '../../executor/executor.ts';
import { outcomeErrorToJson } from '../../executor/outcome-json.ts';
import type { Outcome, OutcomeError } from '../../executor/outcome.ts';
import { plainText } from '../../shared/plain-text.ts';
import { EXIT, exitCodeOf } from '../shared/exit-codes.ts';
import { interruption } from '../shared/interruption.ts';
import { jsonText } from '../shared/json-text.ts';
import { misuse } from '../shared/misuse.ts';
import { option } from '../shared/option.ts';
import { toTaggedJson } from '../shared/parse-value.ts';
import { printLog } from '../shared/print-log.ts';
import { printValue } from '../shared/print-value.ts';
import { parseDuration, parseMemory } from '../shared/units.ts';
import { readVariables } from '../shared/variables.ts';

interface Flags {
  readonly vars?: string;
  readonly var: readonly string[];
  readonly timeout?: number;
  readonly memory?: number;
  readonly json?: boolean;
}

/** `glovebox run`: one run. The value goes to stdout, everything else to stderr. */
export function runCommand(): Command {
  return new Command('run')
    .description('Run a file of JavaScript or TypeScript: the body of an async function.')
    .argument('<file>', 'the file to run, or - for standard input')
    .option('--vars <file>', 'variables by name, from a file of JSON or safe: text')
    .option(
      '--var <name=value>',
      'one variable: JSON if it parses as JSON, otherwise text (repeatable)',
      (value: string, all: readonly string[]) => [...all, value],
      [],
    )
    .option('--timeout <time>', 'wall-clock limit, such as 500ms or 30s', option(parseDuration))
    .option('--memory <size>', 'memory limit, such as 64mb', option(parseMemory))
    .option('--json', 'print the whole outcome as JSON; values in the tagged form of safe:')
    .addHelpText(
      'after',
      `
Exit codes:
  0  the code returned a value
  1  the code failed: it threw, did not compile, or its result is not serializable
  2  wrong usage of the command
  3  a limit ended the run
  4  the sandbox failed, not the code
  130  interrupted

Examples:
  glovebox run score.ts --vars order.json --timeout 1s
  echo 'return 6 * n' | glovebox run - --var n=7`,
    )
    .action(async (file: string, flags: Flags) => {
      process.exitCode = await run(file, flags);
    });
}

async function run(file: string, flags: Flags): Promise<number> {
  let code: string;
  let variables: Record<string, unknown>;
  try {
    code = file === '-' ? await readAll(process.stdin) : await readFile(file, 'utf8');
    variables = await readVariables(flags.vars, flags.var);
  } catch (error) {
    return misuse(error);
  }
  const limits: LimitsInput = {
    ...(flags.timeout === undefined ? {} : { wallMs: flags.timeout }),
    ...(flags.memory === undefined ? {} : { memoryMb: flags.memory }),
  };
  const interrupt = interruption();
  try {
    await using executor = new Executor({ hosts: 1, spareHosts: 0, limits });
    const progress = showProgress();
    const outcome = await executor.run({
      // A file that can be executed names its program in the first line. Its length stays the same.
      code: code.replace(/^#!/, '//'),
      variables,
      filename: filenameOf(file),
      signal: interrupt.signal,
      onLog: flags.json === true ? undefined : (entry) => progress.around(() => printLog(entry)),
    });
    progress.stop();
    if (flags.json === true) printJson(outcome);
    else if (outcome.ok) printValue(outcome.value);
    else printError(outcome.error);
    return outcome.ok ? EXIT.ok : exitCodeOf(outcome.error.code);
  } catch (error) {
    return misuse(error);
  } finally {
    interrupt.stop();
  }
}

/** The name that the guest's stack traces show. */
function filenameOf(file: string): string {
  const name = path
    .basename(file)
    .replaceAll(/[^\w.-]/g, '_')
    .slice(-100);
  return file === '-' ? 'stdin' : name;
}

interface Progress {
  /** Clears the progress line, then calls `write`. */
  around(write: () => void): void;
  stop(): void;
}

function clearLine(): void {
  process.stderr.write('\r\u001B[K');
}

/** Shows on a terminal how long the run has been going. */
function showProgress(): Progress {
  if (!process.stderr.isTTY) return { around: (write) => write(), stop: () => undefined };
  const started = Date.now();
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - started) / 1000);
    process.stderr.write(`\r${styleText('dim', `running, ${seconds} s (Ctrl-C to stop)`)}`);
  }, 1000);
  return {
    around: (write) => {
      clearLine();
      write();
    },
    stop: () => {
      clearInterval(timer);
      clearLine();
    },
  };
}

function printError(error: OutcomeError): void {
  const title = styleText('red', error.code, { stream: process.stderr });
  const what = error.name === error.code ? error.message : `${error.name}: ${error.message}`;
  const place = error.line === undefined ? '' : ` (line ${error.line}, column ${error.column})`;
  process.stderr.write(`${title} ${plainText(what)}${place}\n`);
  if (error.code === 'GUEST_ERROR' && error.stack !== undefined) {
    const frames = error.stack.split('\n').filter((line) => line.startsWith('    at '));
    if (frames.length > 0) process.stderr.write(`${plainText(frames.join('\n'))}\n`);
  }
}

/** Prints the outcome as one line of JSON. */
function printJson(outcome: Outcome): void {
  const { logs, usage } = outcome;
  const body = outcome.ok
    ? { ok: true, value: toTaggedJson(outcome.value), logs, usage }
    : {
        ok: false,
        error: outcomeErrorToJson(outcome.error),
        logs,
        usage,
      };
  process.stdout.write(`${jsonText(body)}\n`);
}
