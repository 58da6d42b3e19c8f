import { Executor } from '@glovebox/core';
import type { OutcomeCode } from '@glovebox/core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { withGrace } from '../support/calibration.ts';
import { valueOf } from '../support/pools.ts';

/** For programs that another limit ends, on a busy machine too. */
const AMPLE_MS = 30_000;
const TEST_TIMEOUT_MS = 60_000;

type Program = readonly [name: string, code: string];

/** Each is run at the same time as the others of its line, and one host is left for the good runs. */
const TOGETHER: readonly [
  expected: OutcomeCode,
  limits: { readonly wallMs: number },
  programs: Program[],
][] = [
  [
    'WALL_LIMIT',
    { wallMs: 1000 },
    [
      ['for(;;)', 'for (;;);'],
      ['a promise that never settles', 'await new Promise(() => {})'],
      ['endless microtasks', 'for (;;) await null'],
    ],
  ],
  [
    'WALL_LIMIT',
    { wallMs: 1000 },
    [
      ['a tool that never settles', 'await never()'],
      ['a loop after an awaited tool', 'await quick(); for (;;);'],
      [
        'an error whose stack getter loops',
        'const e = new Error(); Object.defineProperty(e, "stack", { get() { for (;;); } }); throw e',
      ],
    ],
  ],
  [
    'MEMORY_LIMIT',
    { wallMs: AMPLE_MS },
    [
      ['a Map that grows', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, i)'],
      ['a fill that V8 cannot interrupt', 'new Array(2 ** 32 - 1).fill(0)'],
    ],
  ],
];

let executor: Executor;
beforeAll(async () => {
  executor = new Executor({ hosts: 4 });
  await executor.ready();
});
afterAll(() => executor.close());

test.each(
  TOGETHER.map(([expected, limits, programs]) => {
    const names = programs.map(([name]) => name).join(', ');
    return [names, expected, limits, programs] as const;
  }),
)(
  '%s end in %s, and 50 good runs beside them all succeed',
  { timeout: TEST_TIMEOUT_MS },
  async (_names, ...given) => {
    const [expected, limits, programs] = given;
    const { result, graceMs } = await withGrace(async () => {
      const hostile = programs.map(([, code]) =>
        executor.run({
          code,
          limits: { ...limits, memoryMb: 32 },
          tools: { never: () => new Promise(() => undefined), quick: () => 1 },
        }),
      );
      const good = Array.from({ length: 50 }, (_, n) =>
        executor.run({ code: 'return n * 2', variables: { n } }),
      );
      return { good: await Promise.all(good), hostile: await Promise.all(hostile) };
    });
    expect(result.good.map(valueOf)).toEqual(Array.from({ length: 50 }, (_, n) => n * 2));
    const table = result.hostile.map((outcome, at) => ({
      program: programs[at]?.[0],
      end: outcome.ok ? 'value' : outcome.error.code,
      inTime: outcome.usage.wallMs < limits.wallMs + graceMs,
    }));
    expect(table).toEqual(programs.map(([program]) => ({ program, end: expected, inTime: true })));
  },
);
