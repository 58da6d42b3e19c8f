import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

const WORKSPACE = path.join(import.meta.dirname, '../..');

async function untilSaid(stream: Readable, words: string): Promise<void> {
  for await (const line of createInterface({ input: stream })) {
    if (line.includes(words)) break;
  }
  // A pipe that nobody reads would stop it.
  stream.resume();
}

/** A server on loopback and workers in processes of their own, as their owners start them. */
export class Cluster {
  readonly url: string;
  readonly #processes: ChildProcess[] = [];
  readonly #store = mkdtempSync(path.join(os.tmpdir(), 'glovebox-nats-'));

  private constructor(port: number) {
    this.url = `nats://127.0.0.1:${port}`;
  }

  static async start(workers: number, slots: number): Promise<Cluster> {
    const port = 14_222;
    const cluster = new Cluster(port);
    const program = process.env['NATS_SERVER'] ?? 'nats-server';
    const flags = ['-a', '127.0.0.1', '-p', `${port}`, '-js', '-sd', cluster.#store];
    await untilSaid(cluster.#spawn(program, flags, 'stderr'), 'Server is ready');
    for (let number = 1; number <= workers; number++) {
      const worker = ['worker', '--nats', cluster.url, '--name', `w${number}`];
      const output = cluster.#spawn(
        process.execPath,
        [
          '--no-warnings',
          '--conditions=@glovebox/source',
          'packages/core/src/cli/bin.ts',
          ...worker,
          '--slots',
          `${slots}`,
        ],
        'stdout',
      );
      await untilSaid(output, '"ready"');
    }
    return cluster;
  }

  /** The server's process, and those of the workers; their hosts are not in it. */
  get pids(): { readonly server: number; readonly workers: readonly number[] } {
    const [server = 0, ...workers] = this.#processes.map(({ pid = 0 }) => pid);
    return { server, workers };
  }

  async close(): Promise<void> {
    for (const child of this.#processes.toReversed()) {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    rmSync(this.#store, { recursive: true });
  }

  #spawn(program: string, flags: readonly string[], output: 'stdout' | 'stderr'): Readable {
    const child = spawn(program, flags, { cwd: WORKSPACE, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#processes.push(child);
    (output === 'stdout' ? child.stderr : child.stdout).resume();
    return child[output];
  }
}
