import { setTimeout as delay } from 'node:timers/promises';

import type { ToolContext } from '@glovebox/core';
import { expect, test } from 'vitest';

import { describeEachPool, errorOf, valueOf } from '../support/pools.ts';

/** A tool that waits for a person for so long. */
function personFor(ms: number) {
  return (_input: unknown, { pauseWallClock }: ToolContext) =>
    pauseWallClock(() => delay(ms, 'yes'));
}

describeEachPool('a wait for a person', (executor) => {
  test('is no part of the time of a run', async () => {
    const outcome = await executor().run({
      code: 'return ask()',
      tools: { ask: personFor(800) },
      limits: { wallMs: 300 },
    });
    expect(valueOf(outcome)).toBe('yes');
    expect(outcome.usage.wallMs).toBeLessThan(300);
  });

  test('gives a run back what time it had left, and no more', async () => {
    const started = performance.now();
    const outcome = await executor().run({
      code: 'await work(); await ask(); for (;;);',
      tools: { work: () => delay(400), ask: personFor(500) },
      limits: { wallMs: 500 },
    });
    const took = performance.now() - started;
    expect(errorOf(outcome)).toMatchObject({ code: 'WALL_LIMIT', limit: 500 });
    expect(outcome.usage.wallMs).toBeGreaterThanOrEqual(499);
    expect(outcome.usage.wallMs).toBeLessThan(500 + 250);
    expect(took).toBeGreaterThan(990);
    expect(took).toBeLessThan(1000 + 250);
  });

  test('stops the clock until the last of several that overlap', async () => {
    const outcome = await executor().run({
      code: 'return Promise.all([short(), long()])',
      tools: { short: personFor(200), long: personFor(600) },
      limits: { wallMs: 300 },
    });
    expect(valueOf(outcome)).toEqual(['yes', 'yes']);
    expect(outcome.usage.wallMs).toBeLessThan(300);
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
    let askedAt = 0;
    const outcome = await executor().run({
      code: 'return ask()',
      tools: {
        ask: (_input: unknown, { pauseWallClock }: ToolContext) => {
          askedAt = performance.now();
          setTimeout(() => controller.abort('enough'), 100);
          return pauseWallClock(() => new Promise(() => undefined));
        },
      },
      signal: controller.signal,
      limits: { wallMs: 300 },
    });
    expect(performance.now() - askedAt).toBeLessThan(100 + 250);
    expect(errorOf(outcome)).toMatchObject({ code: 'ABORTED', cause: 'enough' });
  });

  test('leaves the other limits of a run as they are', async () => {
    const outcome = await executor().run({
      code: 'ask(); await 0; for (;;);',
      tools: { ask: personFor(2000) },
      limits: { cpuMs: 300, wallMs: 1000 },
    });
    expect(errorOf(outcome)).toMatchObject({ code: 'CPU_LIMIT', limit: 300 });
  });

  test('gives a busy guest no more time than it has anyway', async () => {
    const started = performance.now();
    const outcome = await executor().run({
      code: 'ask(); await 0; for (;;);',
      tools: { ask: personFor(3000) },
      limits: { wallMs: 500 },
    });
    // The wall clock stands still; what ends it is the time of the one stretch of code that loops.
    expect(errorOf(outcome).code).toBe('CPU_LIMIT');
    expect(performance.now() - started).toBeLessThan(500 + 250);
  });
});
