import { Executor } from '@glovebox/core';
import type { OutcomeCode } from '@glovebox/core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { graceMs, watchLoop } from '../support/calibration.ts';
import { valueOf } from '../support/pools.ts';

const WALL_MS = 3000;
/** For programs that another limit ends, on a busy machine too. */
const AMPLE_MS = 30_000;
const TEST_TIMEOUT_MS = 60_000;

const PROGRAMS: readonly [name: string, code: string, expected: OutcomeCode][] = [
  ['for(;;)', 'for (;;);', 'WALL_LIMIT'],
  ['a promise that never settles', 'await new Promise(() => {})', 'WALL_LIMIT'],
  ['a tool that never settles', 'await never()', 'WALL_LIMIT'],
  ['endless microtasks', 'for (;;) await null', 'WALL_LIMIT'],
  ['a loop after an awaited tool', 'await quick(); for (;;);', 'WALL_LIMIT'],
  [
    'an error whose stack getter loops',
    'const e = new Error(); Object.defineProperty(e, "stack", { get() { for (;;); } }); throw e',
    'WALL_LIMIT',
  ],
  ['a Map that grows', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, i)', 'MEMORY_LIMIT'],
  ['a fill that V8 cannot interrupt', 'new Array(2 ** 32 - 1).fill(0)', 'MEMORY_LIMIT'],
];

let executor: Executor;
beforeAll(async () => {
  executor = new Executor({ hosts: 2 });
  await executor.ready();
});
afterAll(() => executor.close());

test.each(PROGRAMS)(
  '%s: 50 good runs beside it all succeed',
  { timeout: TEST_TIMEOUT_MS },
  async (_name, code, expected) => {
    const wallMs = expected === 'WALL_LIMIT' ? WALL_MS : AMPLE_MS;
    const stop = watchLoop();
    const hostile = executor.run({
      code,
      limits: { wallMs, memoryMb: 64 },
      tools: { never: () => new Promise(() => undefined), quick: () => 1 },
    });
    const good = Array.from({ length: 50 }, (_, n) =>
      executor.run({ code: 'return n * 2', variables: { n } }),
    );
    const outcomes = await Promise.all(good);
    expect(outcomes.map(valueOf)).toEqual(Array.from({ length: 50 }, (_, n) => n * 2));
    const outcome = await hostile;
    expect(outcome).toMatchObject({ ok: false, error: { code: expected } });
    expect(outcome.usage.wallMs).toBeLessThan(wallMs + graceMs(stop()));
  },
);
