import { once } from 'node:events';
import { access, constants, readFile } from 'node:fs/promises';
import os from 'node:os';

import { WORKER_CAPS } from '@glovebox/protocol/limits';
import type { Authenticator } from '@nats-io/nats-core';
import type * as Transport from '@nats-io/transport-node';
import { Command, Option } from 'commander';

import type { NatsServers } from '../../nats/wire/connection.ts';
import type { NatsWorker } from '../../nats/worker-side/nats-worker.ts';
import type { WorkerEvent } from '../../nats/worker-side/worker-options.ts';
import { messageOf } from '../../shared/message-of.ts';
import { ownManifest } from '../../shared/own-manifest.ts';
import { EXIT } from '../shared/exit-codes.ts';
import { exit } from '../shared/exit.ts';
import { jsonText } from '../shared/json-text.ts';
import { misuse } from '../shared/misuse.ts';
import { option, wholeNumber } from '../shared/option.ts';
import { parseDuration, parseMemory } from '../shared/units.ts';
import { serveHealth } from './worker-health.ts';
import { WorkerMetrics } from './worker-metrics.ts';

const MIB = 1024 * 1024;

interface Flags {
  readonly nats: string;
  readonly slots: number;
  readonly tenant: string;
  readonly pool: string;
  readonly name: string;
  readonly sessions: number;
  readonly maxMemory: number;
  readonly maxTime: number;
  readonly health?: string;
  readonly storage: 'memory' | 'file';
  readonly replicas: number;
  readonly maxJobs: number;
  readonly storeSize: number;
  readonly lease: number;
  readonly creds?: string;
  readonly nkey?: string;
  readonly user?: string;
  readonly tlsCa?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly logRuns?: boolean;
}

/** An option whose value has a unit. Its help shows the default with the unit. */
function optionWithUnit(
  flags: string,
  description: string,
  parse: (text: string) => number,
  defaultText: string,
): Option {
  return new Option(flags, description)
    .argParser(option(parse))
    .default(parse(defaultText), defaultText);
}

/** The default caps of a worker, in the form in which options take them. */
const MAX_MEMORY = `${WORKER_CAPS.memoryMb}mb`;
const MAX_TIME = `${WORKER_CAPS.wallMs / 3_600_000}h`;

/** Host name and process ID, without characters that a name may not have. */
function defaultName(): string {
  return `${os.hostname()}-${process.pid}`.replaceAll(/[^A-Za-z0-9-]/g, '-').slice(-64);
}

/** `glovebox worker`: takes jobs from a NATS server and runs them on this machine. */
export function workerCommand(): Command {
  const cores = os.availableParallelism();
  return new Command('worker')
    .description('Run jobs of executors on other machines. Jobs arrive over NATS.')
    .requiredOption('--nats <urls>', 'URLs of the servers, separated by commas')
    .option(
      '--slots <n>',
      'how many runs execute at the same time, each in its own process',
      wholeNumber,
      cores,
    )
    .option('--tenant <name>', 'tenant whose jobs to run', 'default')
    .option('--pool <name>', 'pool of the tenant whose jobs to run', 'default')
    .option('--name <name>', 'name of the worker, unique in the pool', defaultName())
    .option('--sessions <n>', 'how many sessions may be open', wholeNumber, 16)
    .addOption(
      optionWithUnit('--max-memory <size>', 'largest heap of a run', parseMemory, MAX_MEMORY),
    )
    .addOption(
      optionWithUnit(
        '--max-time <time>',
        'how long a run may hold a slot, including waits for people',
        parseDuration,
        MAX_TIME,
      ),
    )
    .option('--health <address>', 'port or host:port that serves /healthz, /readyz and /metrics')
    .addOption(
      new Option('--storage <kind>', 'where a new pool stores its jobs')
        .choices(['memory', 'file'])
        .default('memory'),
    )
    .option('--replicas <n>', 'how many servers store the jobs of a new pool', wholeNumber, 1)
    .option('--max-jobs <n>', 'how many jobs may wait or run in a new pool', wholeNumber, 10_000)
    .addOption(
      optionWithUnit(
        '--store-size <size>',
        'size of the object store of a new pool, for large values',
        parseMemory,
        '1gb',
      ),
    )
    .addOption(
      optionWithUnit(
        '--lease <time>',
        'a job whose worker stops renewing its lease for this long goes to another worker',
        parseDuration,
        '10s',
      ),
    )
    .option('--creds <file>', 'credentials file of a JWT user')
    .option('--nkey <file>', 'seed file of an NKey user')
    .option('--user <name>', 'user name; the password is in NATS_PASSWORD')
    .option('--tls-ca <file>', 'CA certificates to trust')
    .option('--tls-cert <file>', 'client certificate')
    .option('--tls-key <file>', 'private key of the client certificate')
    .option('--log-runs', 'log every run')
    .addHelpText(
      'after',
      `
A worker retries until a server is reachable, and logs why none is.
Logs are lines of JSON on stdout. SIGTERM or SIGINT drains: the worker finishes its runs and takes
no new ones. A second signal ends it at once.
The first worker of a pool creates its stream and object store, with --storage, --replicas,
--max-jobs, --store-size and --lease. Later workers use what exists, and ignore these options.

Example:
  glovebox worker --nats nats://127.0.0.1:4222 --slots 4 --health 8080`,
    )
    .action(async (flags: Flags) => {
      exit(await run(flags));
    });
}

async function run(flags: Flags): Promise<number> {
  let transport: typeof Transport;
  let Worker: typeof NatsWorker;
  try {
    transport = await import('@nats-io/transport-node');
    ({ NatsWorker: Worker } = await import('../../nats/worker-side/nats-worker.ts'));
  } catch (error) {
    process.stderr.write(
      'glovebox: The worker needs the NATS client: npm install @nats-io/nats-core @nats-io/transport-node ' +
        '@nats-io/jetstream @nats-io/obj\n',
    );
    return misuse(error);
  }
  const metrics = new WorkerMetrics();
  let worker: NatsWorker | undefined;
  let why = 'starting';
  const health = {
    readiness: () => (worker === undefined ? why : notReady(worker)),
    metrics: () => metrics.print(worker),
  };
  const stop = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  try {
    const server = flags.health === undefined ? undefined : await serveHealth(flags.health, health);
    log('info', { event: 'starting', name: flags.name, slots: flags.slots });
    const starting = Worker.start({
      servers: await serversOf(flags, transport),
      tenant: flags.tenant,
      pool: flags.pool,
      name: flags.name,
      version: ownManifest().version,
      slots: flags.slots,
      maxSessions: flags.sessions,
      features: [],
      limits: { memoryMb: flags.maxMemory, wallMs: flags.maxTime },
      stream: {
        storage: flags.storage,
        replicas: flags.replicas,
        maxJobs: flags.maxJobs,
        storeBytes: flags.storeSize * MIB,
        leaseMs: flags.lease,
      },
      quarantine: { kills: 5, withinMs: 60_000, forMs: 60_000 },
      onEvent: (event) => {
        if (event.type === 'waiting') ({ why } = event);
        metrics.record(event);
        logEvent(event, flags.logRuns === true);
      },
    });
    worker = await Promise.race([starting, stop.then(() => undefined)]);
    if (worker !== undefined) {
      log('info', { event: 'ready', name: flags.name });
      await stop;
      await Promise.race([worker.drain(), once(process, 'SIGTERM'), once(process, 'SIGINT')]);
    }
    server?.close();
    log('info', { event: 'ended', name: flags.name });
    return EXIT.ok;
  } catch (error) {
    return misuse(error);
  }
}

function notReady(worker: NatsWorker): string | undefined {
  if (worker.isDraining) return 'draining';
  if (!worker.isConnected) return 'not connected';
  return worker.stats().degraded;
}

async function serversOf(
  { nats: urls, creds, nkey, user, tlsCa, tlsCert, tlsKey }: Flags,
  { credsAuthenticator, nkeyAuthenticator }: typeof Transport,
): Promise<NatsServers> {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new Error('--tls-cert and --tls-key must be given together.');
  }
  // Each connection attempt reads these files. Without this check, the worker would retry for ever.
  for (const file of [tlsCa, tlsCert, tlsKey]) {
    if (file !== undefined) await access(file, constants.R_OK);
  }
  const tls = {
    ...(tlsCa === undefined ? {} : { caFile: tlsCa }),
    ...(tlsCert === undefined ? {} : { certFile: tlsCert }),
    ...(tlsKey === undefined ? {} : { keyFile: tlsKey }),
  };
  // The creds parser needs the newline after the last line; the NKey parser does not accept it.
  const ofCreds = (text: string): Authenticator => credsAuthenticator(Buffer.from(`${text}\n`));
  const ofNkey = (text: string): Authenticator => nkeyAuthenticator(Buffer.from(text));
  return {
    servers: urls.split(','),
    ...(creds === undefined ? {} : { authenticator: await readKey(creds, ofCreds) }),
    ...(nkey === undefined ? {} : { authenticator: await readKey(nkey, ofNkey) }),
    ...(user === undefined ? {} : { user, pass: password() }),
    ...(Object.keys(tls).length === 0 ? {} : { tls }),
  };
}

function password(): string {
  const given = process.env['NATS_PASSWORD'];
  if (given === undefined)
    throw new Error('--user requires a password in the environment variable NATS_PASSWORD.');
  return given;
}

async function readKey(
  file: string,
  authenticatorOf: (text: string) => Authenticator,
): Promise<Authenticator> {
  const authenticator = authenticatorOf((await readFile(file, 'utf8')).trim());
  try {
    authenticator('');
  } catch (error) {
    throw new Error(`${file} does not contain a key of that kind: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return authenticator;
}

function logEvent(event: WorkerEvent, withRuns: boolean): void {
  const { type, ...fields } = event;
  if (type === 'run' && !withRuns) return;
  const warnings: readonly WorkerEvent['type'][] = ['error', 'disconnected', 'refused', 'waiting'];
  log(warnings.includes(type) ? 'warn' : 'info', { event: type, ...fields });
}

function log(level: 'info' | 'warn', fields: object): void {
  process.stdout.write(`${jsonText({ time: new Date().toISOString(), level, ...fields })}\n`);
}
