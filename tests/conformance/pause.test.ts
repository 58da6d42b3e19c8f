import { setTimeout as delay } from 'node:timers/promises';

import type { Outcome, ToolContext } from '@glovebox/core';
import { expect, test } from 'vitest';

import { ampleMs, ampleWallMs, withGrace } from '../support/calibration.ts';
import { describeEachPool, errorOf, valueOf } from '../support/pools.ts';

/** A tool that waits for a person for so long. */
function personFor(ms: number) {
  return (_input: unknown, { pauseWallClock }: ToolContext) =>
    pauseWallClock(() => delay(ms, 'yes'));
}

/** A tool that waits for a person who never answers. */
function nobody(_input: unknown, { pauseWallClock }: ToolContext) {
  return pauseWallClock(() => new Promise(() => undefined));
}

describeEachPool('a wait for a person', (executor) => {
  /** A run that asks a person who answers at once. */
  const ask = (): Promise<Outcome> =>
    executor().run({ code: 'return ask()', tools: { ask: personFor(0) } });

  test('is no part of the time of a run', async () => {
    const wallMs = await ampleWallMs(ask);
    const outcome = await executor().run({
      code: 'return ask()',
      tools: { ask: personFor(1.5 * wallMs) },
      limits: { wallMs },
    });
    expect(valueOf(outcome)).toBe('yes');
    expect(outcome.usage.wallMs).toBeLessThan(wallMs);
  });

  test('gives a run back what time it had left, and no more', async () => {
    const wallMs = await ampleWallMs(ask);
    let pausedMs = 0;
    const { result, tookMs, graceMs } = await withGrace(() =>
      executor().run({
        code: 'await work(); await ask(); for (;;);',
        tools: {
          work: () => delay(0.5 * wallMs),
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

  test('stops the clock until the last of several that overlap', async () => {
    const wallMs = await ampleWallMs(ask);
    const outcome = await executor().run({
      code: 'return Promise.all([short(), long()])',
      tools: { short: personFor(0.5 * wallMs), long: personFor(2 * wallMs) },
      limits: { wallMs },
    });
    expect(valueOf(outcome)).toEqual(['yes', 'yes']);
    expect(outcome.usage.wallMs).toBeLessThan(wallMs);
  });

  test('that fails lets the clock go on, and the tool hears of it', async () => {
    const outcome = await executor().run({
      code: 'return [await ask().catch((error) => error.message), await forEver()]',
      tools: {
        ask: (_input: unknown, { pauseWallClock }: ToolContext) =>
          pauseWallClock(() => Promise.reject(new Error('nobody there'))),
        forEver: () => new Promise(() => undefined),
      },
      limits: { wallMs: 200 },
    });
    expect(errorOf(outcome).code).toBe('WALL_LIMIT');
  });

  test('that throws at once lets the clock go on as well', async () => {
    const outcome = await executor().run({
      code: 'return ask().catch((error) => error.message).then(forEver)',
      tools: {
        ask: (_input: unknown, { pauseWallClock }: ToolContext) =>
          pauseWallClock(() => {
            throw new Error('no line');
          }),
        forEver: () => new Promise(() => undefined),
      },
      limits: { wallMs: 200 },
    });
    expect(errorOf(outcome).code).toBe('WALL_LIMIT');
  });

  test('ends at once when the run is aborted', async () => {
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

  test('leaves the other limits of a run as they are', async () => {
    const outcome = await executor().run({
      code: 'ask(); await 0; for (;;);',
      tools: { ask: nobody },
      limits: { cpuMs: 300 },
    });
    expect(errorOf(outcome)).toMatchObject({ code: 'CPU_LIMIT', limit: 300 });
  });

  test('gives a busy guest no more time than it has anyway', async () => {
    const roundTripMs = await ampleMs(ask);
    const { result, tookMs, graceMs } = await withGrace(() =>
      executor().run({
        code: 'ask(); await 0; for (;;);',
        tools: { ask: nobody },
        limits: { wallMs: 500 },
      }),
    );
    // The wall clock stands still; what ends it is the time of the one stretch of code that loops.
    // That is a clock of the host, which a busy machine may make late as well.
    expect(errorOf(result).code).toBe('CPU_LIMIT');
    expect(tookMs).toBeLessThan(500 + Math.max(graceMs, roundTripMs));
  });
});
