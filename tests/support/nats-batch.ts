import type { Executor, Outcome, OutcomeCode, RunOptions } from '@glovebox/core';

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

/**
 * What an outage may do to a run. That a message was lost shows in the next one; where the guest
 * waits for an answer that will not come, there is none, and the wall limit ends it.
 */
const LOST: readonly OutcomeCode[] = ['HOST_LOST', 'WALL_LIMIT'];

/** Runs with an effect each; counts outcomes and effects of each run. */
export class Batch {
  readonly effects = new Map<number, number>();
  readonly #outcomes = new Map<number, Outcome[]>();
  readonly #executor: Executor;
  readonly #isHostile: (n: number) => boolean;
  readonly #wallMs: number;
  done = 0;

  /** @param wallMs When a run is given up whose answer was lost. */
  constructor(
    executor: Executor,
    isHostile: (n: number) => boolean = () => false,
    wallMs = 15_000,
  ) {
    this.#executor = executor;
    this.#wallMs = wallMs;
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

  /** Those of them that nobody had begun with. */
  get lostBefore(): number {
    const all = [...this.#outcomes.values()].flat();
    return all.filter((outcome) => !outcome.ok && outcome.error.ran === 'no').length;
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
      limits: { wallMs: this.#wallMs },
    };
  }
}
