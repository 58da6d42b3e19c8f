import { text as readAll } from 'node:stream/consumers';
import { styleText } from 'node:util';

import { Command } from 'commander';

import type { DispatchError, DispatchResult } from '../../dispatch/dispatch-result.ts';
import { Dispatcher } from '../../dispatch/dispatcher.ts';
import type { Approve } from '../../dispatch/tool-approval.ts';
import { Executor } from '../../executor/executor.ts';
import { plainText } from '../../shared/plain-text.ts';
import type { ToolRegistry } from '../../tools/tool-registry.ts';
import { approveAll, createTerminalApproval, denyAll } from '../shared/ask-approval.ts';
import { EXIT, exitCodeOfCall } from '../shared/exit-codes.ts';
import { exit } from '../shared/exit.ts';
import { interruption } from '../shared/interruption.ts';
import { jsonText } from '../shared/json-text.ts';
import { misuse } from '../shared/misuse.ts';
import { option } from '../shared/option.ts';
import { parseJsonOrSafe, toTaggedJson } from '../shared/parse-value.ts';
import { printLog } from '../shared/print-log.ts';
import { loadRegistry } from '../shared/registry-module.ts';
import { parseDuration } from '../shared/units.ts';

interface Flags {
  readonly module: string;
  readonly args: string;
  readonly timeout?: number;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `glovebox call`: one tool call. The value goes to stdout as JSON, everything else to stderr. */
export function callCommand(): Command {
  return new Command('call')
    .description('Call one tool of a registry.')
    .argument('<tool>', 'name of the tool, such as orders.total')
    .requiredOption(
      '--module <file>',
      'a module that exports a ToolRegistry, as default or as registry',
    )
    .option('--args <json>', 'the arguments as JSON or safe: text; - for standard input', '{}')
    .option(
      '--timeout <time>',
      'time limit of one attempt, such as 500ms or 30s',
      option(parseDuration),
    )
    .option('--yes', 'approve all calls that need approval')
    .option('--json', 'print the whole result of the dispatch as JSON')
    .addHelpText(
      'after',
      `
Calls that need approval are asked about at the terminal. Without a terminal they are denied.
Values that JSON cannot represent are printed in the tagged form of safe: text.

Exit codes:
  0  the tool returned a value
  1  the tool failed, or the call was denied
  2  wrong usage of the command: no such tool, invalid arguments
  3  a limit ended the call
  4  the sandbox failed, not the tool
  130  interrupted

Examples:
  glovebox call orders.total --module ./tools.ts --args '{ "id": 7 }'
  echo '{ "id": 7 }' | glovebox call orders.delete --module ./tools.ts --args - --yes`,
    )
    .action(async (tool: string, flags: Flags) => exit(await call(tool, flags)));
}

async function call(tool: string, flags: Flags): Promise<number> {
  let registry: ToolRegistry;
  let args: unknown;
  try {
    registry = await loadRegistry(flags.module);
    args = await readArguments(flags.args);
  } catch (error) {
    return misuse(error);
  }
  const interrupt = interruption();
  // Only a tool that is source code needs host processes, which take time to start.
  const definition = registry.find(tool)?.definition;
  const isSource = definition !== undefined && 'source' in definition;
  await using executor = isSource ? new Executor({ hosts: 1, spareHosts: 0 }) : undefined;
  const dispatcher = new Dispatcher({ registry, executor, approve: approvalFor(flags) });
  const { signal } = interrupt;
  const result = await dispatcher.dispatch({ tool, args, timeoutMs: flags.timeout, signal });
  interrupt.stop();
  if (flags.json === true) printResult(result);
  else {
    for (const entry of result.logs ?? []) printLog(entry);
    if (result.ok) process.stdout.write(`${jsonText(toTaggedJson(result.value), 2)}\n`);
    else printError(result.error);
  }
  return result.ok ? EXIT.ok : exitCodeOfCall(result.error);
}

function approvalFor(flags: Flags): Approve {
  if (flags.yes === true) return approveAll;
  return process.stdin.isTTY ? createTerminalApproval() : denyAll;
}

async function readArguments(given: string): Promise<unknown> {
  const text = given === '-' ? await readAll(process.stdin) : given;
  try {
    return parseJsonOrSafe(text);
  } catch (cause) {
    throw new Error('--args is neither JSON nor safe: text.', { cause });
  }
}

function printError({ kind, name, message, toolCode }: DispatchError): void {
  const title = styleText('red', kind, { stream: process.stderr });
  const what = name === undefined ? message : `${name}: ${message}`;
  const code = toolCode === undefined ? '' : ` (code ${toolCode})`;
  process.stderr.write(`${title} ${plainText(what + code)}\n`);
}

function printResult(result: DispatchResult): void {
  const body = result.ok
    ? { ...result, value: toTaggedJson(result.value) }
    : { ...result, error: { ...result.error, ...detailsOf(result.error) } };
  process.stdout.write(`${jsonText(body)}\n`);
}

function detailsOf({ details }: DispatchError): object {
  return details === undefined ? {} : { details: toTaggedJson(details) };
}
