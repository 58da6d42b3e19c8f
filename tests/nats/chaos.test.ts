import { setTimeout as delay } from 'node:timers/promises';

import { Executor } from '@glovebox/core';
import type { Outcome, OutcomeCode, RunOptions } from '@glovebox/core';
import { nats } from '@glovebox/core/nats';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { describeNats, NatsServer } from '../support/nats.ts';
import { WorkerProcess } from '../support/nats-worker.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/processes.ts';

/** What a hostile run may end as, besides what chaos does to it. */
const HOSTILE: readonly { readonly code: string; readonly ends: readonly OutcomeCode[] }[] = [
  { code: 'for (;;);', ends: ['WALL_LIMIT', 'CPU_LIMIT'] },
  { code: 'await new Promise(() => undefined)', ends: ['WALL_LIMIT'] },
  {
    code: 'const all = []; for (;;) all.push(new Array(1e4).fill(all.length))',
    ends: ['MEMORY_LIMIT', 'WALL_LIMIT', 'CPU_LIMIT'],
  },
  { code: 'throw new Error("no")', ends: ['GUEST_ERROR'] },
];
const DEADLINE = 80_000;

/**
 * What an outage may do to a run. That a message was lost shows in the next one; where the guest
 * waits for an answer that will not come, there is none, and the wall limit ends it.
 */
const LOST: readonly OutcomeCode[] = ['HOST_LOST', 'WALL_LIMIT'];

/** Runs with an effect each; counts outcomes and effects of each run. */
class Batch {
  readonly effects = new Map<number, number>();
  readonly #outcomes = new Map<number, Outcome[]>();
  readonly #executor: Executor;
  readonly #isHostile: (n: number) => boolean;
  done = 0;

  constructor(executor: Executor, isHostile: (n: number) => boolean) {
    this.#executor = executor;
    this.#isHostile = isHostile;
  }

  /** Resolves when all have ended, so many at a time. */
  async run(count: number, inFlight: number): Promise<void> {
    let next = 0;
    const lane = async (): Promise<void> => {
      for (let n = next++; n < count; n = next++) {
        const outcome = await this.#executor.run(this.#optionsOf(n));
        this.#outcomes.set(n, [...(this.#outcomes.get(n) ?? []), outcome]);
        this.done++;
      }
    };
    await Promise.all(Array.from({ length: inFlight }, lane));
  }

  /** What went wrong: an outcome that is not right or not the only one, an effect that came twice. */
  faults(count: number): readonly string[] {
    const faults: string[] = [];
    for (let n = 0; n < count; n++) {
      const outcomes = this.#outcomes.get(n) ?? [];
      const effects = this.effects.get(n) ?? 0;
      const [outcome] = outcomes;
      if (outcomes.length !== 1) faults.push(`${n}: ${outcomes.length} outcomes`);
      else if (outcome !== undefined && !this.#isRight(n, outcome)) {
        faults.push(`${n}: ${outcome.ok ? `value ${String(outcome.value)}` : outcome.error.code}`);
      }
      if (effects > 1 || (outcome?.ok === true && effects === 0)) {
        faults.push(`${n}: ${effects} effects`);
      }
    }
    return faults;
  }

  /** Runs whose worker was lost when they had had an effect, perhaps. */
  get lost(): number {
    return [...this.#outcomes].filter(([n, outcomes]) =>
      outcomes.some((outcome) => this.#isLost(n, outcome)),
    ).length;
  }

  #isLost(n: number, outcome: Outcome): boolean {
    // Of hostile code, the wall limit is what is due to it.
    const codes = this.#isHostile(n) ? LOST.slice(0, 1) : LOST;
    return !outcome.ok && codes.includes(outcome.error.code);
  }

  #isRight(n: number, outcome: Outcome): boolean {
    if (this.#isLost(n, outcome)) return true;
    if (!this.#isHostile(n)) return outcome.ok && outcome.value === n;
    return !outcome.ok && HOSTILE[n % HOSTILE.length]?.ends.includes(outcome.error.code) === true;
  }

  #optionsOf(n: number): RunOptions {
    const hostile = HOSTILE[n % HOSTILE.length];
    if (this.#isHostile(n) && hostile !== undefined) {
      return { code: hostile.code, limits: { wallMs: 150, memoryMb: 32 } };
    }
    return {
      code: 'return effect(n)',
      variables: { n },
      tools: {
        effect: () => {
          this.effects.set(n, (this.effects.get(n) ?? 0) + 1);
          return n;
        },
      },
      limits: { wallMs: 15_000 },
    };
  }
}

describeNats('three workers over NATS', () => {
  let stack: AsyncDisposableStack;
  let server: NatsServer;
  let workers: WorkerProcess[];
  beforeEach(async () => {
    stack = new AsyncDisposableStack();
    server = stack.use(await NatsServer.start());
  });
  afterEach(() => stack.disposeAsync());

  async function startWorkers(urls: readonly string[], storage = 'file'): Promise<void> {
    const flags = ['--storage', storage, '--lease', '2s'];
    workers = await Promise.all(
      urls.map((url, index) => WorkerProcess.start(url, `w${index + 1}`, flags)),
    );
    for (const worker of workers) stack.use(worker);
  }

  test(
    '2 000 runs, one in twenty hostile, while workers are killed and stand still',
    { timeout: DEADLINE },
    async () => {
      await startWorkers([server.url, server.url, server.url]);
      const executor = stack.use(new Executor({ pool: nats({ servers: server.url }) }));
      const batch = new Batch(executor, (n) => n % 20 === Math.floor(n / 20) % 20);
      const running = batch.run(2000, 32);
      const [first, second] = workers;
      await until(() => batch.done >= 200, DEADLINE);
      await first?.end('SIGKILL');
      await until(() => batch.done >= 400, DEADLINE);
      stack.use(await WorkerProcess.start(server.url, 'w4', ['--lease', '2s']));
      second?.child.kill('SIGSTOP');
      await until(() => batch.done >= 700, DEADLINE);
      second?.child.kill('SIGCONT');
      await running;
      expect(batch.faults(2000)).toEqual([]);
      // One of each worker at most was under way, and had an effect perhaps.
      expect(batch.lost).toBeLessThanOrEqual(4);
    },
  );

  test.each([
    ['with its files', 'file'],
    ['without memory of what was', 'memory'],
  ])('a server that restarts %s', { timeout: DEADLINE }, async (_what, storage) => {
    await startWorkers([server.url, server.url, server.url], storage);
    const executor = stack.use(new Executor({ pool: nats({ servers: server.url }) }));
    const batch = new Batch(executor, () => false);
    const running = batch.run(600, 16);
    await until(() => batch.done >= 100, DEADLINE);
    await server.kill();
    await delay(1000);
    await server.run();
    await running;
    expect(batch.faults(600)).toEqual([]);
    // What was said while nobody was connected is lost, for those that were under way.
    expect(batch.lost).toBeLessThanOrEqual(16);
  });

  test('a worker whose network is cut', { timeout: DEADLINE }, async () => {
    const proxy = stack.use(await TcpProxy.start(server.port));
    await startWorkers([proxy.url, server.url, server.url]);
    const executor = stack.use(new Executor({ pool: nats({ servers: server.url }) }));
    const batch = new Batch(executor, () => false);
    const running = batch.run(600, 16);
    await until(() => batch.done >= 100, DEADLINE);
    proxy.cut();
    await delay(3000);
    proxy.mend();
    await running;
    expect(batch.faults(600)).toEqual([]);
    expect(batch.lost).toBeLessThanOrEqual(1);
    // It comes back, and takes jobs again.
    const seen = new Set<string>();
    await expect
      .poll(
        async () => {
          const { usage } = await executor.run({ code: 'return 1' });
          seen.add(usage.hostId.split('/')[0] ?? '');
          return seen.size;
        },
        { timeout: 10_000 },
      )
      .toBe(3);
  });
});
