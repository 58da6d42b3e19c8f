import type { ChildProcess } from 'node:child_process';

import { GloveboxError } from '../../shared/errors.ts';

/** Environment variable that starts hosts with Node's inspector, to debug Glovebox itself. */
const VARIABLE = 'GLOVEBOX_INSPECT';
/** The inspector can be reached only from this machine, unless the port is forwarded. */
const ADDRESS = '127.0.0.1';
/** Lower ports need privileges. */
const MIN_PORT = 1024;
const MAX_PORT = 65_535;
/** The address of the inspector appears in this many first characters of a host's standard error. */
const MAX_ADDRESS_OUTPUT = 4096;

/** `any`: any free port. A number: the port of the first host; other hosts use the next ports. */
type Ports = number | 'any' | 'none';

let configuredPorts: Ports | undefined;
const usedPorts = new Set<number>();

/** The inspector of one host. */
export interface HostInspector {
  /** Node's flags for the host process. */
  readonly flags: readonly string[];
  /** Prints the address of the inspector. Call it once, with the process of the host. */
  attach(child: ChildProcess): void;
}

/**
 * The inspector for the next host; undefined unless the environment variable enables it. The variable
 * is read once, when the first host starts.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS`: the variable is invalid, or set in production.
 */
export function nextInspector(): HostInspector | undefined {
  configuredPorts ??= readEnvironment(process.env);
  if (configuredPorts === 'none') return undefined;
  const port = configuredPorts === 'any' ? 0 : reservePort(configuredPorts);
  return {
    // Without `--allow-inspector`, Node's permission model disables the inspector.
    flags: ['--allow-inspector', `--inspect=${ADDRESS}:${port}`],
    attach: (child) => {
      child.once('exit', () => usedPorts.delete(port));
      printAddress(child);
    },
  };
}

function readEnvironment(env: NodeJS.ProcessEnv): Ports {
  const text = env[VARIABLE] ?? '';
  if (text === '' || text === '0') return 'none';
  const port = Number(text);
  if (text !== '1' && !(Number.isInteger(port) && port >= MIN_PORT && port <= MAX_PORT)) {
    throw invalid(`must be 1, or a port from ${MIN_PORT} to ${MAX_PORT}, not ${text}`);
  }
  if (env['NODE_ENV'] === 'production') {
    throw invalid(
      'is set, and NODE_ENV is production: everyone who can connect to the inspector controls the ' +
        'host. Unset one of them',
    );
  }
  if (!process.allowedNodeEnvironmentFlags.has('--allow-inspector')) {
    throw invalid(`is set, but Node ${process.versions.node} has no flag --allow-inspector`);
  }
  process.emitWarning(
    `${VARIABLE} is set: everyone who can connect to the inspector of a host can do everything that ` +
      'the host can do, and see the data of every run. Use it only on your own machine, with code ' +
      'that you trust.',
    { code: VARIABLE },
  );
  return text === '1' ? 'any' : port;
}

function invalid(why: string): GloveboxError {
  return new GloveboxError('INVALID_OPTIONS', `${VARIABLE} ${why}.`, { path: VARIABLE });
}

function reservePort(first: number): number {
  let port = first;
  while (usedPorts.has(port)) port++;
  usedPorts.add(port);
  return port;
}

/** Prints the address of the inspector, or why it failed, from the output of the host. */
function printAddress(child: ChildProcess): void {
  let output = '';
  const onData = (chunk: Buffer): void => {
    output += chunk.toString();
    const [, url, failure] =
      /Debugger listening on (ws:\S+)\s|(Starting inspector on .* failed: .*)\s/.exec(output) ?? [];
    if (url === undefined && failure === undefined && output.length < MAX_ADDRESS_OUTPUT) return;
    child.stderr?.off('data', onData);
    const address = url ?? failure ?? 'the host did not report its address';
    process.stderr.write(`glovebox: inspector of host process ${child.pid}: ${address}\n`);
  };
  child.stderr?.on('data', onData);
}
