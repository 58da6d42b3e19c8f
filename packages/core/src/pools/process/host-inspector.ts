import type { ChildProcess } from 'node:child_process';

import { GloveboxError } from '../../shared/errors.ts';

/** Has hosts start with Node's inspector, for whoever debugs the code of Glovebox itself. */
const VARIABLE = 'GLOVEBOX_INSPECT';
/** Only this machine reaches it, unless somebody forwards the port. */
const ADDRESS = '127.0.0.1';
/** Below it, ports need privileges. */
const MIN_PORT = 1024;
const MAX_PORT = 65_535;
/** A host says where its inspector is with its first words, and says no more than this before. */
const MAX_WORDS = 4096;

/** `any` takes what is free; a number is the port of the first host, and others take the next ones. */
type Ports = number | 'any' | 'none';

let wanted: Ports | undefined;
const taken = new Set<number>();

/** Node's flags for the inspector of one host, and who tells its address. */
export interface HostInspector {
  readonly flags: readonly string[];
  /** To be called with the host's process, once. */
  attach(child: ChildProcess): void;
}

/**
 * The inspector of the next host, where the environment asks for one. The environment is read once,
 * when the first host starts.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS`: it asks for one in production, or not in a known way.
 */
export function nextInspector(): HostInspector | undefined {
  wanted ??= readEnvironment(process.env);
  if (wanted === 'none') return undefined;
  const port = wanted === 'any' ? 0 : takePort(wanted);
  return {
    // Node's permission model keeps the inspector shut unless it is allowed as well.
    flags: ['--allow-inspector', `--inspect=${ADDRESS}:${port}`],
    attach: (child) => {
      child.once('exit', () => taken.delete(port));
      tellAddress(child);
    },
  };
}

function readEnvironment(env: NodeJS.ProcessEnv): Ports {
  const text = env[VARIABLE] ?? '';
  if (text === '' || text === '0') return 'none';
  const port = Number(text);
  if (text !== '1' && !(Number.isInteger(port) && port >= MIN_PORT && port <= MAX_PORT)) {
    throw refusal(`is 1, or a port from ${MIN_PORT} to ${MAX_PORT}, and not ${text}`);
  }
  if (env['NODE_ENV'] === 'production') {
    throw refusal(
      'is set, and NODE_ENV is production: an inspector hands the host to whoever can reach its ' +
        'port. Unset one of them',
    );
  }
  if (!process.allowedNodeEnvironmentFlags.has('--allow-inspector')) {
    throw refusal(`is set, but Node ${process.versions.node} cannot allow a host its inspector`);
  }
  process.emitWarning(
    `${VARIABLE} is set: whoever can reach the inspectors of hosts can do all that a host can do, ` +
      'and see the data of every run. Use it on your own machine, with code that you trust.',
    { code: VARIABLE },
  );
  return text === '1' ? 'any' : port;
}

function refusal(why: string): GloveboxError {
  return new GloveboxError('INVALID_OPTIONS', `${VARIABLE} ${why}.`, { path: VARIABLE });
}

function takePort(first: number): number {
  let port = first;
  while (taken.has(port)) port++;
  taken.add(port);
  return port;
}

/** Tells where the inspector listens, or why it does not, in the host's words. */
function tellAddress(child: ChildProcess): void {
  let words = '';
  const listen = (chunk: Buffer): void => {
    words += chunk.toString();
    const [, url, failure] =
      /Debugger listening on (ws:\S+)\s|(Starting inspector on .* failed: .*)\s/.exec(words) ?? [];
    if (url === undefined && failure === undefined && words.length < MAX_WORDS) return;
    child.stderr?.off('data', listen);
    const told = url ?? failure ?? 'it does not say where it is';
    process.stderr.write(`glovebox: inspector of host process ${child.pid}: ${told}\n`);
  };
  child.stderr?.on('data', listen);
}
