import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import os from 'node:os';
import { fileURLToPath } from 'node:url';

import type { Opened } from './contender.ts';

/** One process with prepared isolates, one run at a time. */
class BareHost {
  readonly #child: ChildProcess;
  readonly #pipe: Socket;
  #settle: ((value: unknown) => void) | undefined;
  #rest = '';

  constructor() {
    const file = fileURLToPath(new URL('bare-host.ts', import.meta.url));
    this.#child = spawn(process.execPath, ['--no-node-snapshot', '--no-warnings', file], {
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    });
    this.#pipe = this.#child.stdio[3] as Socket; // What `stdio` asks for.
    this.#pipe.on('data', (chunk: Buffer) => {
      const lines = (this.#rest + chunk.toString()).split('\n');
      this.#rest = lines.pop() ?? '';
      // What the host writes; one run at a time, so one line at a time.
      for (const line of lines) this.#settle?.((JSON.parse(line) as { value: unknown }).value);
    });
  }

  run(source: string): Promise<unknown> {
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#pipe.write(`${JSON.stringify({ id: 1, source })}\n`);
    });
  }

  async close(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#pipe.destroy();
    await exited;
  }
}

/** As many such processes as there are cores, and a queue before them. */
export async function openByHand(toSource: (code: string) => string): Promise<Opened> {
  const hosts = Array.from({ length: os.availableParallelism() }, () => new BareHost());
  const idle = [...hosts];
  const waiting: ((host: BareHost) => void)[] = [];
  await Promise.all(hosts.map((host) => host.run(toSource('return 1'))));
  return {
    async run(code) {
      const host =
        idle.shift() ?? (await new Promise<BareHost>((resolve) => void waiting.push(resolve)));
      try {
        return await host.run(toSource(code));
      } finally {
        const next = waiting.shift();
        if (next === undefined) idle.push(host);
        else next(host);
      }
    },
    close: async () => void (await Promise.all(hosts.map((host) => host.close()))),
  };
}
