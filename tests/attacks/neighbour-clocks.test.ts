import type { Executor } from '@glovebox/core';

import { withGrace } from '../support/calibration.ts';
import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';
import { expectOutcome } from './support/expected.ts';

/** Guests that hold the one timer thread of isolated-vm in old designs, and so every neighbour. */
const HANGS: readonly [name: string, code: string, notInThreads?: string][] = [
  ['an endless loop', 'for (;;);'],
  [
    'a builtin that is not interrupted',
    'const a = []; a[2 ** 31] = 1; a.indexOf(2)',
    'V8 does not interrupt it, so its thread would burn for good.',
  ],
  [
    'an error that loops when it is read',
    'Promise.reject(new Proxy(new Error("x"), { get() { for (;;); }, getPrototypeOf() { for (;;); } })); await new Promise(() => {})',
    'Nothing in the process can stop the loop, so its thread would burn for good.',
  ],
];

attacks(
  'one isolate that stops the clock of another',
  {},
  HANGS.map(([name, code, notInThreads]) => ({
    kind: 33 as const,
    name: `${name} does not hold up the limit of a neighbour`,
    wallMs: 900,
    ...(notInThreads !== undefined && { notInThreads }),
    script: async ({ executor }: { executor: Executor }) => {
      const hanging = executor.run({ code, limits: { wallMs: 900 } });
      const { result: neighbour, graceMs } = await withGrace(() =>
        executor.run({ code: 'for (;;);', limits: { wallMs: 300 } }),
      );
      expectOutcome(neighbour, { error: 'WALL_LIMIT', limit: 300 });
      expect(neighbour.usage.wallMs).toBeLessThan(300 + graceMs);
      const outcome = await hanging;
      expectOutcome(outcome, { error: 'WALL_LIMIT', limit: 900 });
      return [neighbour, outcome];
    },
  })),
);
