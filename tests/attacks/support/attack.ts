import { Executor } from '@glovebox/core';
import type {
  ExecutorOptions,
  LimitsInput,
  Outcome,
  OutcomeCode,
  OutcomeError,
  RunOptions,
  ToolContext,
  ToolFunction,
} from '@glovebox/core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { POOLS } from '../../support/pools.ts';
import type { PoolKind } from '../../support/pools.ts';
import { childrenOf, until } from '../../support/processes.ts';
import type { KindId } from '../catalogue.ts';
import { measure } from './measure.ts';

/** What every variant says of itself. */
interface Entry {
  /** The kinds of the catalogue that it is one of. */
  readonly kind: KindId | readonly KindId[];
  readonly name: string;
  /** Why the thread pool is not asked to bear it. */
  readonly notInThreads?: string;
}

type Expected =
  | { readonly value: unknown }
  /** Where more than one end is right, and something else is what counts. */
  | { readonly endsIn: readonly ('value' | OutcomeCode)[] }
  | ({ readonly error: OutcomeCode } & Partial<Omit<OutcomeError, 'code'>>);

/** One program that is run once, and how it must end. */
interface Program extends Entry, Pick<RunOptions, 'variables' | 'language' | 'filename'> {
  readonly code: string;
  readonly tools?: Readonly<Record<string, ToolFunction>>;
  readonly limits?: LimitsInput;
  readonly expected: Expected;
  /** Looks at more than the end: logs, usage, what the tools were given. */
  readonly check?: (outcome: Outcome, calls: readonly Call[]) => void;
}

/** A tool call as the host saw it. */
interface Call {
  readonly tool: string;
  readonly input: unknown;
}

/** What takes more than one run. It makes its own assertions on the outcomes that it gives back. */
interface Script extends Entry {
  readonly script: (bench: Bench) => Promise<readonly Outcome[]>;
  /** The longest wall limit of its runs. */
  readonly wallMs?: number;
}

export type Variant = Program | Script;

interface Bench {
  readonly executor: Executor;
  readonly pool: PoolKind;
}

export interface Settings {
  /** Options of the executor that all variants of the file share. */
  readonly executor?: ExecutorOptions;
  /** Limits of every variant that brings no other. */
  readonly limits?: LimitsInput;
}

/** Enough for every program that ends by itself or at another limit, on a busy machine too. */
const DEFAULT_WALL_MS = 30_000;
/** Time for two measurements of whatever takes longest. */
const TEST_TIMEOUT_MS = 300_000;
const DEFAULT_MEMORY_MB = 64;

/** Set while the catalogue is read: variants are then gathered, and no test is made of them. */
let gathered: Variant[] | undefined;

/** The variants that a file registers while it is loaded. */
export async function gather(load: () => Promise<unknown>): Promise<readonly Variant[]> {
  gathered = [];
  try {
    await load();
    return gathered;
  } finally {
    gathered = undefined;
  }
}

/** Registers the variants of a file: each runs in every pool that it is meant for. */
export function attacks(title: string, settings: Settings, variants: readonly Variant[]): void {
  if (gathered !== undefined) {
    gathered.push(...variants);
    return;
  }
  const meantFor = (pool: PoolKind): readonly Variant[] =>
    variants.filter(({ notInThreads }) => pool === 'process' || notInThreads === undefined);
  // A file may hold nothing that a thread can survive.
  const pools = POOLS.filter((pool) => meantFor(pool).length > 0);
  describe.each(pools)(`${title} (%s pool)`, (pool) => {
    const meant = meantFor(pool);
    let executor: Executor;
    beforeAll(async () => {
      executor = new Executor({ pool, hosts: 2, ...settings.executor });
      await executor.ready();
    });
    beforeEach(() => settle(executor));
    afterAll(async () => {
      await executor.close();
      expect(childrenOf(process.pid)).toEqual([]);
    });
    test.each(meant.map((variant) => [variant.name, variant] as const))(
      '%s',
      async (_name, variant) => {
        expect.hasAssertions();
        if ('script' in variant) await runScript(variant, { executor, pool });
        else await runProgram(variant, { executor, pool }, settings);
      },
      TEST_TIMEOUT_MS,
    );
  });
}

/** Waits until hosts that were lost are replaced, so that no variant pays for the one before it. */
async function settle(executor: Executor): Promise<void> {
  if (executor.stats().kind !== 'process') return;
  await until(() => {
    const { hosts, spareHosts, busySlots } = executor.stats();
    return hosts >= 2 && spareHosts >= 1 && busySlots === 0;
  });
}

async function runScript(script: Script, bench: Bench): Promise<void> {
  await measure(
    bench,
    { wallMs: script.wallMs ?? DEFAULT_WALL_MS, memoryMb: DEFAULT_MEMORY_MB },
    async () => ({ outcomes: await script.script(bench), guestSaw: [], verify: () => undefined }),
  );
}

async function runProgram(program: Program, bench: Bench, settings: Settings): Promise<void> {
  const given = { ...settings.limits, ...program.limits };
  const limits = {
    ...given,
    wallMs: given.wallMs ?? DEFAULT_WALL_MS,
    memoryMb: given.memoryMb ?? DEFAULT_MEMORY_MB,
  };
  await measure(bench, limits, async () => {
    const calls: Call[] = [];
    const outcome = await bench.executor.run({
      code: program.code,
      variables: program.variables,
      language: program.language,
      filename: program.filename,
      tools: recorded(program.tools ?? {}, calls),
      limits,
    });
    const verify = (): void => {
      expectOutcome(outcome, program.expected);
      // Not before its time, either.
      expect(outcome.usage.wallMs).toBeGreaterThanOrEqual(
        isWallLimit(program.expected) ? limits.wallMs - 20 : 0,
      );
      program.check?.(outcome, calls);
    };
    return { outcomes: [outcome], guestSaw: calls, verify };
  });
}

function isWallLimit(expected: Expected): boolean {
  return 'error' in expected && expected.error === 'WALL_LIMIT';
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

/** Asserts how an outcome ended: exactly this value, or this code with these facts. */
export function expectOutcome(outcome: Outcome, expected: Expected): void {
  if ('value' in expected) {
    // The error says more than that there was one.
    expect(outcome).toMatchObject({ ok: true });
    if (outcome.ok) expect(outcome.value).toStrictEqual(expected.value);
    return;
  }
  if ('endsIn' in expected) {
    expect(expected.endsIn).toContain(outcome.ok ? 'value' : outcome.error.code);
    return;
  }
  const { error: code, ...facts } = expected;
  expect(outcome).toMatchObject({ ok: false, error: { code, ...facts } });
}
