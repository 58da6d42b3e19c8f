import type { LimitsInput } from '@glovebox/protocol/limits';
import { Command, Option } from 'commander';

import { Dispatcher } from '../../dispatch/dispatcher.ts';
import type { Approve } from '../../dispatch/tool-approval.ts';
import { Executor } from '../../executor/executor.ts';
import type { ServiceOptions } from '../../servers/service/service-options.ts';
import type { ServerHandle } from '../../servers/transport/server-handle.ts';
import { ToolRegistry } from '../../tools/tool-registry.ts';
import { loadPlan } from '../plan/plan-file.ts';
import { approveAll } from '../shared/ask-approval.ts';
import { EXIT } from '../shared/exit-codes.ts';
import { exit } from '../shared/exit.ts';
import { interruption } from '../shared/interruption.ts';
import { misuse } from '../shared/misuse.ts';
import { option, wholeNumber } from '../shared/option.ts';
import { flush, ownStdout } from '../shared/own-stdout.ts';
import { loadRegistry } from '../shared/registry-module.ts';
import { parseDuration, parseMemory } from '../shared/units.ts';
import { listen } from './serve-protocol.ts';
import type { Carrier, Protocol } from './serve-protocol.ts';

interface Flags {
  readonly mcp?: Carrier;
  readonly jsonRpc?: Carrier;
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

/** `glovebox serve`: running code and calling tools for other programs. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('Run code and call tools for other programs, over MCP or JSON-RPC.')
    .addOption(carrier('--mcp', 'serve the Model Context Protocol').conflicts('jsonRpc'))
    .addOption(carrier('--json-rpc', 'serve plain JSON-RPC 2.0'))
    .option('--module <file>', 'a module that exports a ToolRegistry, as default or as registry')
    .option(
      '--planner <file>',
      'a module that exports a planner, for goals that come without a plan',
    )
    .option('--host <address>', 'http: address to listen on (default: 127.0.0.1)')
    .option('--port <number>', 'http: port to listen on (default: any that is free)', wholeNumber)
    .addOption(
      new Option('--token <token>', 'http: what clients must send as Authorization: Bearer').env(
        'GLOVEBOX_TOKEN',
      ),
    )
    .option('--allow-host <name...>', 'http: host names by which clients may call the server')
    .option('--timeout <time>', 'wall-clock limit of a run (default: 30s)', option(parseDuration))
    .option('--memory <size>', 'memory limit of a run (default: 128mb)', option(parseMemory))
    .option('--hosts <number>', 'runs at once (default: as many as cores)', wholeNumber)
    .option('--max-message <size>', 'size of one message (default: 4mb)', option(parseMemory))
    .option('--grace <time>', 'how long calls may go on at the end', option(parseDuration), 5000)
    .option('--yes', 'approve calls that need approval where the client cannot ask a person')
    .addHelpText(
      'after',
      `
Clients can run code, call the tools of the module, and have plans carried out. The limits given here are also the most
that a client may ask for. Over stdio, nothing but the protocol is on standard output.

Over http, JSON-RPC is at / and MCP at /mcp. Give the token by the environment: other users of the
machine can see arguments. Without it, only this machine is listened to.

On SIGTERM or Ctrl-C, no further calls are taken; those under way have the time of --grace. A second
one ends the server at once. A client that goes away ends its calls.

Exit codes:
  0  the server was told to end, or its client went away
  2  the command was not used right

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

function carrier(flag: string, what: string): Option {
  return new Option(`${flag} <carrier>`, what).choices(['stdio', 'http']);
}

async function serve(flags: Flags, version: string | undefined): Promise<number> {
  const protocol = protocolOf(flags);
  if (protocol === undefined) return misuse(new Error('Give one of --mcp and --json-rpc.'));
  // Before the module is loaded, which may write to it.
  const output = protocol.carrier === 'stdio' ? ownStdout() : undefined;
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
      onError: (error) => process.stderr.write(`glovebox: ${describe(error)}\n`),
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
  if (mcp !== undefined) return { name: 'mcp', carrier: mcp };
  return jsonRpc === undefined ? undefined : { name: 'json-rpc', carrier: jsonRpc };
}

function approvalOf({ yes }: Flags): Approve {
  if (yes === true) return approveAll;
  const reason = 'the client cannot ask a person, and the server was started without --yes';
  return () => ({ decision: 'deny', reason });
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
