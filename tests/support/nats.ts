import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';

import { Executor } from '@glovebox/core';
import type { CloseOptions, ExecutorOptions } from '@glovebox/core';
import { nats, NatsWorker } from '@glovebox/core/nats';
import type { NatsWorkerOptions } from '@glovebox/core/nats';
import { describe } from 'vitest';

/**
 * The server's program: `NATS_SERVER` names it, else it is looked for where systems keep it. An
 * empty one stands for none.
 */
export const NATS_SERVER: string | undefined = findServer(process.env['NATS_SERVER']);

function findServer(given: string | undefined): string | undefined {
  if (given !== undefined) return given === '' ? undefined : given;
  return findProgram('nats-server');
}

function findProgram(name: string): string | undefined {
  return [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin']
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file));
}

/**
 * Tests that need a server; where there is none they are skipped, and say why.
 *
 * @param programs What they need besides.
 */
export function describeNats(
  title: string,
  tests: () => void,
  programs: readonly string[] = [],
): void {
  const missing = programs.filter((name) => findProgram(name) === undefined);
  if (NATS_SERVER === undefined) missing.unshift('nats-server');
  const why = missing.map((name) => ` [there is no ${name}]`).join('');
  describe.skipIf(missing.length > 0)(`${title}${why}`, () => {
    tests();
  });
}

/** A server of the test's own, on loopback, with a store of its own. */
export class NatsServer implements AsyncDisposable {
  readonly #store = mkdtempSync(path.join(os.tmpdir(), 'glovebox-nats-'));
  readonly #arguments: readonly string[];
  readonly #environment: Readonly<Record<string, string>>;
  readonly port: number;
  #config: readonly string[] = [];
  #process: ChildProcess | undefined;

  private constructor(
    port: number,
    more: readonly string[],
    environment: Readonly<Record<string, string>>,
  ) {
    this.port = port;
    this.#environment = environment;
    this.#arguments = ['-a', '127.0.0.1', '-p', `${port}`, '-js', '-sd', this.#store, ...more];
  }

  static async start(
    more: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<NatsServer> {
    const server = new NatsServer(await findPort(), more, environment);
    await server.#begin();
    return server;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  /** A server that is set up by the text of a configuration file. */
  static async configured(config: string): Promise<NatsServer> {
    const server = new NatsServer(await findPort(), [], {});
    server.configure(config);
    await server.#begin();
    return server;
  }

  /** Sets the next process up. */
  configure(config: string): void {
    const file = path.join(this.#store, 'server.conf');
    writeFileSync(file, config);
    this.#config = ['-c', file];
  }

  /** Nothing is left of one that does not start. */
  async #begin(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      await this[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Starts the process, with what the last one has stored. */
  async run(): Promise<void> {
    if (NATS_SERVER === undefined) throw new Error('There is no nats-server.');
    const child = spawn(NATS_SERVER, [...this.#arguments, ...this.#config], {
      env: this.#environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = child;
    let said = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk) => {
        said += String(chunk);
        if (said.includes('Server is ready')) resolve();
      });
      child.once('exit', () => reject(new Error(`The server did not start. ${said}`)));
    });
  }

  /** @param signal `SIGTERM` lets it give up what it leads first. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#store, { recursive: true });
  }
}

/** A port on loopback that is free. */
export async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server has such an address.
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** A worker within this process; its hosts are processes as always. */
export function startWorker(
  url: string,
  options: Partial<NatsWorkerOptions> = {},
): Promise<NatsWorker> {
  return NatsWorker.start({
    servers: { servers: url },
    tenant: 'default',
    pool: 'default',
    name: 'worker-1',
    version: 'test',
    slots: 2,
    maxSessions: 16,
    features: [],
    limits: {},
    stream: {
      storage: 'memory',
      replicas: 1,
      maxJobs: 10_000,
      storeBytes: 2 ** 30,
      leaseMs: 10_000,
    },
    quarantine: { kills: 5, withinMs: 60_000, forMs: 60_000 },
    onEvent: () => undefined,
    ...options,
  });
}

/** An executor with a server and a worker of its own, which end with it. */
class ExecutorOnWorker extends Executor {
  readonly #server: NatsServer;
  readonly #worker: NatsWorker;
  #closing: Promise<void> | undefined;

  constructor(options: ExecutorOptions, server: NatsServer, worker: NatsWorker) {
    super(options);
    this.#server = server;
    this.#worker = worker;
  }

  override async close(options?: CloseOptions): Promise<void> {
    this.#closing ??= this.#close(options);
    await this.#closing;
  }

  async #close(options: CloseOptions | undefined): Promise<void> {
    await super.close(options);
    await this.#worker.close();
    await this.#server[Symbol.asyncDispose]();
  }
}

/** An executor whose runs go over NATS to one worker with so many slots as it asks for hosts. */
export async function createNatsExecutor(options: ExecutorOptions): Promise<Executor> {
  const { hosts = 2, maxSessions = 16, features = [] } = options;
  const server = await NatsServer.start();
  const worker = await startWorker(server.url, { slots: hosts, features });
  const pool = nats({ servers: server.url, maxSessions });
  return new ExecutorOnWorker({ ...options, pool }, server, worker);
}
