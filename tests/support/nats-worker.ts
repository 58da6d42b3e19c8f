import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import { until } from './processes.ts';
import { startScript } from './script.ts';

/** A worker in a process of its own, as `glovebox worker` starts it. */
export class WorkerProcess implements AsyncDisposable {
  readonly name: string;
  readonly child: ChildProcess;
  #output = '';

  private constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.child = child;
    child.stdout?.on('data', (chunk) => (this.#output += String(chunk)));
    child.stderr?.on('data', (chunk) => (this.#output += String(chunk)));
  }

  /** Resolves when it takes jobs. */
  static async start(
    url: string,
    name: string,
    more: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<WorkerProcess> {
    const worker = WorkerProcess.spawn(url, name, more, env);
    try {
      await worker.says('"event":"ready"');
    } catch (error) {
      await worker.end('SIGKILL');
      throw error;
    }
    return worker;
  }

  /** One that may never take a job. */
  static spawn(
    url: string,
    name: string,
    more: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): WorkerProcess {
    return WorkerProcess.command(['--nats', url, '--name', name, '--slots', '1', ...more], env);
  }

  /** One with these flags. */
  static command(
    flags: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): WorkerProcess {
    const name = flags[flags.indexOf('--name') + 1] ?? '';
    const child = startScript('packages/core/src/cli/bin.ts', ['worker', ...flags], env);
    return new WorkerProcess(name, child);
  }

  /** Resolves when it has written this. */
  async says(text: string): Promise<void> {
    await until(() => this.isGone || this.output.includes(text), 20_000).catch(() => undefined);
    if (this.output.includes(text)) return;
    throw new Error(`${this.name} does not say ${text}, but: ${this.output}`);
  }

  /** All that it has written. */
  get output(): string {
    return this.#output;
  }

  get isGone(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Resolves with its exit code when it has ended by itself. */
  async ended(): Promise<number | null> {
    await until(() => this.isGone, 20_000);
    return this.child.exitCode;
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (!this.isGone) {
      const exited = once(this.child, 'exit');
      this.child.kill(signal);
      await exited;
    }
    return this.child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL');
  }
}
