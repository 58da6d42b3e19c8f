import { setTimeout as delay } from 'node:timers/promises';

import type { Executor } from '@glovebox/core';

import { valueOf } from '../../support/pools.ts';

const BEAT_MS = 8;

/** Works, waits and works again for as long as the attack lasts, and then tells what it saw. */
const CODE = `
  let sum = 0;
  let over = false;
  while (!over) {
    for (let n = 0; n < 1000; n++) sum += n % 7;
    over = await beat();
    sum %= 1000;
  }
  const seen = { ...new Map([['when', when]]).get('when') };
  return {
    sorted: [3, 1, 2].sort(),
    when,
    polluted: typeof {}.polluted,
    globals: ['leaked', 'secret', 'pwn'].filter((name) => name in globalThis),
    seen,
  }`;

const WHEN = new Date(86_400_000);

export const NEIGHBOUR_VALUE = {
  sorted: [1, 2, 3],
  when: WHEN,
  polluted: 'undefined',
  globals: [],
  seen: {},
};

/** A good run beside an attack. */
export interface Neighbour {
  /** Lets it come to its end, and gives what it returned. */
  finish(): Promise<unknown>;
}

/** Starts a good run, and waits until it is under way. */
export async function startNeighbour(executor: Executor): Promise<Neighbour> {
  const started = Promise.withResolvers<void>();
  let over = false;
  const run = executor.run({
    code: CODE,
    variables: { when: WHEN },
    tools: {
      beat: async () => {
        started.resolve();
        await delay(BEAT_MS);
        return over;
      },
    },
    limits: { wallMs: 600_000, memoryMb: 64, toolCalls: 100_000 },
  });
  await Promise.race([started.promise, run]);
  return {
    finish: async () => {
      over = true;
      return valueOf(await run);
    },
  };
}
