import type { LimitsInput, Outcome, ToolContext, ToolFunction } from '@glovebox/core';
import { expect } from 'vitest';

import { expectOutcome } from './expected.ts';
import { measure } from './measure.ts';
import type { Bench, Call, Program } from './variants.ts';

/** So much earlier than its wall limit a run may be answered: the word of its start takes time. */
const EARLY_MS = 20;

export type ProgramLimits = LimitsInput & { readonly wallMs: number; readonly memoryMb: number };

interface End {
  readonly outcome: Outcome;
  readonly calls: readonly Call[];
}

interface Ran {
  /** By program; one is missing where the attempt itself failed. */
  readonly ends: ReadonlyMap<Program, End>;
  /** Rejected with what the measurement found beside the ends of the programs. */
  readonly measured: PromiseSettledResult<void>;
}

/** Programs of the same limits that run once, all at the same time, beside one good neighbour. */
export class Batch {
  readonly limits: ProgramLimits;
  readonly programs: Program[] = [];
  #ran: Promise<Ran> | undefined;

  constructor(limits: ProgramLimits) {
    this.limits = limits;
  }

  /** Runs the batch unless it has run, and asserts of one program what must hold. */
  async verify(program: Program, bench: Bench): Promise<void> {
    this.#ran ??= this.#run(bench);
    const { ends, measured } = await this.#ran;
    const end = ends.get(program);
    if (end !== undefined) verifyEnd(program, end, this.limits);
    if (measured.status === 'rejected') throw measured.reason;
  }

  async #run(bench: Bench): Promise<Ran> {
    const ends = new Map<Program, End>();
    const run = async (program: Program): Promise<End> => {
      const calls: Call[] = [];
      const outcome = await bench.executor.run({
        code: program.code,
        variables: program.variables,
        language: program.language,
        filename: program.filename,
        tools: recorded(program.tools ?? {}, calls),
        limits: this.limits,
      });
      const end = { outcome, calls };
      ends.set(program, end);
      return end;
    };
    const [measured] = await Promise.allSettled([
      measure(bench, this.limits, async () => {
        const all = await Promise.all(this.programs.map(run));
        return {
          outcomes: all.map(({ outcome }) => outcome),
          guestSaw: all.map(({ calls }) => calls),
          verify: () => undefined,
        };
      }),
    ]);
    return { ends, measured };
  }
}

function verifyEnd(program: Program, { outcome, calls }: End, { wallMs }: ProgramLimits): void {
  expectOutcome(outcome, program.expected);
  const isWallLimit = 'error' in program.expected && program.expected.error === 'WALL_LIMIT';
  // Not before its time, either.
  expect(outcome.usage.wallMs).toBeGreaterThanOrEqual(isWallLimit ? wallMs - EARLY_MS : 0);
  program.check?.(outcome, calls);
}

function recorded(
  tools: Readonly<Record<string, ToolFunction>>,
  calls: Call[],
): Readonly<Record<string, ToolFunction>> {
  return Object.fromEntries(
    Object.entries(tools).map(([tool, execute]) => [
      tool,
      (input: never, context: ToolContext) => {
        calls.push({ tool, input });
        return execute(input, context);
      },
    ]),
  );
}
