import type { LimitsInput } from '@glovebox/protocol/limits';
import { Command, Option } from 'commander';

import { Dispatcher } from '../../dispatch/dispatcher.ts';
import type { Approve } from '../../dispatch/tool-approval.ts';
import { Executor } from '../../executor/executor.ts';
import type { ServiceOptions } from '../../servers/service/service-options.ts';
import type { ServerHandle } from '../../servers/transport/server-handle.ts';
import { plainText } from '../../shared/plain-text.ts';
import { ToolRegistry } from '../../tools/tool-registry.ts';
import { loadPlan } from '../plan/plan-file.ts';
import { approveAll } from '../shared/ask-approval.ts';
import { EXIT } from '../shared/exit-codes.ts';
import { exit } from '../shared/exit.ts';
import { interruption } from '../shared/interruption.ts';
import { misuse } from '../shared/misuse.ts';
import { option, wholeNumber } from '../shared/option.ts';
import { loadRegistry } from '../shared/registry-module.ts';
import { flush, reserveStdout } from '../shared/reserve-stdout.ts';
import { parseDuration, parseMemory } from '../shared/units.ts';
import { listen } from './serve-protocol.ts';
import type { Protocol, Transport } from './serve-protocol.ts';

interface Flags {
  readonly mcp?: Transport;
  readonly jsonRpc?: Transport;
  readonly module?: string;
  readonly planner?: string;
  readonly host?: string;
  readonly port?: number;
  readonly token?: string;
  readonly allowHost?: readonly string[];
  readonly timeout?: number;
  readonly memory?: number;
  readonly hosts?: number;
  readonly maxMessage?: number;
  readonly grace?: number;
  readonly yes?: boolean;
}

/** `glovebox serve`: runs code and calls tools for other programs. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('Run code and call tools for other programs, over MCP or JSON-RPC.')
    .addOption(transportOption('--mcp', 'serve the Model Context Protocol').conflicts('jsonRpc'))
    .addOption(transportOption('--json-rpc', 'serve plain JSON-RPC 2.0'))
    .option('--module <file>', 'a module that exports a ToolRegistry, as default or as registry')
    .option(
      '--planner <file>',
      'a module that exports a planner, for goals that clients send without a plan',
    )
    .option('--host <address>', 'http: address to listen on (default: 127.0.0.1)')
    .option('--port <number>', 'http: port to listen on (default: any free port)', wholeNumber)
    .addOption(
      new Option(
        '--token <token>',
        'http: token that clients must send as Authorization: Bearer',
      ).env('GLOVEBOX_TOKEN'),
    )
    .option('--allow-host <name...>', 'http: host names that clients may use to call the server')
    .option('--timeout <time>', 'wall-clock limit of a run (default: 30s)', option(parseDuration))
    .option('--memory <size>', 'memory limit of a run (default: 128mb)', option(parseMemory))
    .option(
      '--hosts <number>',
      'concurrent runs, each in its own host process (default: number of cores)',
      wholeNumber,
    )
    .option(
      '--max-message <size>',
      'maximum size of one message (default: 4mb)',
      option(parseMemory),
    )
    .option(
      '--grace <time>',
      'how long running calls may take when the server stops',
      option(parseDuration),
      5000,
    )
    .option('--yes', 'approve calls that need approval if the client cannot ask a person')
    .addHelpText(
      'after',
      `
Clients can run code, call the tools of the module, and execute plans. The limits given here are
also the maximum that a client may request. With stdio, standard output carries only the protocol.

With http, JSON-RPC is at / and MCP is at /mcp. Set the token in the environment variable, because
other users of the machine can see command-line arguments. Without a token, the server listens only
on this machine.

On SIGTERM or Ctrl-C, the server accepts no more calls, and running calls get the time of --grace.
A second signal ends the server at once. When a client disconnects, its calls are aborted.

Exit codes:
  0  the server was stopped, or its client disconnected
  2  wrong usage of the command

Examples:
  glovebox serve --mcp stdio --module ./tools.ts
  GLOVEBOX_TOKEN=$(openssl rand -hex 32) glovebox serve --mcp http --port 8123 --module ./tools.ts
  glovebox serve --json-rpc http --port 8124 --timeout 5s --memory 64mb
  echo '{"jsonrpc":"2.0","id":1,"method":"execute","params":{"code":"return 6 * 7"}}' |
    glovebox serve --json-rpc stdio`,
    )
    .action(async (flags: Flags, command: Command) =>
      exit(await serve(flags, command.parent?.version())),
    );
}

function transportOption(flag: string, description: string): Option {
  return new Option(`${flag} <transport>`, description).choices(['stdio', 'http']);
}

async function serve(flags: Flags, version: string | undefined): Promise<number> {
  const protocol = protocolOf(flags);
  if (protocol === undefined) return misuse(new Error('Give one of --mcp and --json-rpc.'));
  // Before the module is loaded: the module may write to stdout.
  const output = protocol.transport === 'stdio' ? reserveStdout() : undefined;
  const interrupt = interruption();
  const limits: LimitsInput = {
    ...(flags.timeout === undefined ? {} : { wallMs: flags.timeout }),
    ...(flags.memory === undefined ? {} : { memoryMb: flags.memory }),
  };
  let server: ServerHandle;
  let executor: Executor | undefined;
  try {
    const registry =
      flags.module === undefined ? new ToolRegistry() : await loadRegistry(flags.module);
    const planner =
      flags.planner === undefined ? undefined : (await loadPlan(flags.planner, undefined)).planner;
    executor = new Executor({ limits, hosts: flags.hosts });
    const options: ServiceOptions = {
      executor,
      dispatcher: new Dispatcher({ registry, executor, approve: approvalOf(flags) }),
      planner,
      limits,
      maxMessageBytes: flags.maxMessage === undefined ? undefined : flags.maxMessage * 2 ** 20,
      graceMs: flags.grace,
      onError: (error) => process.stderr.write(`glovebox: ${plainText(describe(error))}\n`),
    };
    const { host, port, token, allowHost: allowedHosts } = flags;
    server = await listen(protocol, options, { host, port, token, allowedHosts }, output, version);
  } catch (error) {
    await executor?.close();
    return misuse(error);
  }
  if ('url' in server) process.stderr.write(`glovebox: listening on ${String(server.url)}\n`);
  interrupt.signal.addEventListener('abort', () => void server.close());
  if (interrupt.signal.aborted) void server.close();
  await server.closed;
  await server.close();
  await executor.close();
  if (output !== undefined) await flush(output);
  return EXIT.ok;
}

function protocolOf({ mcp, jsonRpc }: Flags): Protocol | undefined {
  if (mcp !== undefined) return { name: 'mcp', transport: mcp };
  return jsonRpc === undefined ? undefined : { name: 'json-rpc', transport: jsonRpc };
}

function approvalOf({ yes }: Flags): Approve {
  if (yes === true) return approveAll;
  const reason = 'the client cannot ask a person, and the server was started without --yes';
  return () => ({ decision: 'deny', reason });
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
