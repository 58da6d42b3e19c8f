import { setTimeout as delay } from 'node:timers/promises';

import type { Outcome, ToolContext } from '@glovebox/core';
import { beforeAll, expect, test } from 'vitest';

import { ampleMs, withGrace } from '../support/calibration.ts';
import { describeEachPool, errorOf, valueOf } from '../support/pools.ts';

const HOSTS = 4;

/** A tool that waits for a person for so long. */
function personFor(ms: number) {
  return (_input: unknown, { pauseWallClock }: ToolContext) =>
    pauseWallClock(() => delay(ms, 'yes'));
}

/** A tool that waits for a person who never answers. */
function nobody(_input: unknown, { pauseWallClock }: ToolContext): Promise<never> {
  return pauseWallClock(() => new Promise(() => undefined));
}

// They run side by side, and each has a host.
describeEachPool(
  'a wait for a person',
  (executor) => {
    /** What asks and ends is far from it, on a machine as busy as this one. */
    let farMs: number;
    let wallMs: number;
    const ask = (): Promise<Outcome> =>
      executor().run({ code: 'return ask()', tools: { ask: personFor(0) } });
    beforeAll(async () => {
      // Hosts that still start would be measured too.
      await Promise.all(Array.from({ length: 2 * HOSTS }, ask));
      farMs = await ampleMs(ask);
      wallMs = Math.max(500, farMs);
    });

    test.concurrent('is no part of the time of a run', async () => {
      const outcome = await executor().run({
        code: 'return ask()',
        tools: { ask: personFor(1.5 * wallMs) },
        limits: { wallMs },
      });
      expect(valueOf(outcome)).toBe('yes');
      expect(outcome.usage.wallMs).toBeLessThan(wallMs);
    });

    test.concurrent('gives a run back what time it had left, and no more', async () => {
      let pausedMs = 0;
      const { result, tookMs, graceMs } = await withGrace(() =>
        executor().run({
          code: 'await work(); await ask(); for (;;);',
          tools: {
            work: () => delay(0.7 * wallMs),
            ask: async (input: unknown, context: ToolContext) => {
              const askedAt = performance.now();
              await personFor(wallMs)(input, context);
              pausedMs = performance.now() - askedAt;
            },
          },
          limits: { wallMs },
        }),
      );
      expect(errorOf(result)).toMatchObject({ code: 'WALL_LIMIT', limit: wallMs });
      expect(result.usage.wallMs).toBeGreaterThanOrEqual(wallMs - 1);
      expect(result.usage.wallMs).toBeLessThan(wallMs + graceMs);
      const goingMs = tookMs - pausedMs;
      expect(goingMs).toBeGreaterThanOrEqual(wallMs - 2);
      expect(goingMs).toBeLessThan(result.usage.queueMs + wallMs + graceMs);
    });

    test.concurrent('stops the clock until the last of several that overlap', async () => {
      const outcome = await executor().run({
        code: 'return Promise.all([short(), long()])',
        tools: { short: personFor(0.2 * wallMs), long: personFor(1.5 * wallMs) },
        limits: { wallMs },
      });
      expect(valueOf(outcome)).toEqual(['yes', 'yes']);
      expect(outcome.usage.wallMs).toBeLessThan(wallMs);
    });

    test.concurrent.each([
      ['fails', () => Promise.reject(new Error('nobody there'))],
      [
        'throws at once',
        () => {
          throw new Error('nobody there');
        },
      ],
    ])('that %s lets the clock go on, and the tool hears of it', async (_how, wait) => {
      const heard: unknown[] = [];
      const outcome = await executor().run({
        code: 'await hear(await ask().catch((error) => error.message)); await forEver()',
        tools: {
          ask: (_input: unknown, { pauseWallClock }: ToolContext) => pauseWallClock(wait),
          hear: (text: unknown) => void heard.push(text),
          forEver: () => new Promise(() => undefined),
        },
        limits: { wallMs },
      });
      expect(errorOf(outcome).code).toBe('WALL_LIMIT');
      expect(heard).toEqual(['nobody there']);
    });

    test.concurrent('ends at once when the run is aborted', async () => {
      const controller = new AbortController();
      const asked = Promise.withResolvers<void>();
      const run = executor().run({
        code: 'return ask()',
        tools: {
          ask: (input: unknown, context: ToolContext) => {
            asked.resolve();
            return nobody(input, context);
          },
        },
        signal: controller.signal,
      });
      await asked.promise;
      const { result, tookMs, graceMs } = await withGrace(() => {
        controller.abort('enough');
        return run;
      });
      expect(errorOf(result)).toMatchObject({ code: 'ABORTED', cause: 'enough' });
      expect(tookMs).toBeLessThan(graceMs);
    });

    test.concurrent('leaves the other limits of a run as they are', async () => {
      const outcome = await executor().run({
        code: 'ask(); await 0; for (;;);',
        tools: { ask: nobody },
        limits: { cpuMs: 200 },
      });
      expect(errorOf(outcome)).toMatchObject({ code: 'CPU_LIMIT', limit: 200 });
    });

    test.concurrent('gives a busy guest no more time than it has anyway', async () => {
      const { result, tookMs, graceMs } = await withGrace(() =>
        executor().run({
          code: 'ask(); await 0; for (;;);',
          tools: { ask: nobody },
          limits: { wallMs },
        }),
      );
      // The wall clock stands still; what ends it is the time of the one stretch of code that
      // loops. That is a clock of the host, which a busy machine may make late as well.
      expect(errorOf(result).code).toBe('CPU_LIMIT');
      const allowedMs = wallMs + Math.max(graceMs, farMs);
      expect(tookMs - result.usage.queueMs).toBeLessThan(allowedMs);
    });
  },
  { hosts: HOSTS },
);
