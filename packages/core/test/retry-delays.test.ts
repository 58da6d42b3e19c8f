import { describe, expect, test, vi } from 'vitest';

import { TransientError } from '../src/index.ts';
import { dispatcherOf } from './support/dispatch.ts';
import { useFakeClock } from './support/fake-clock.ts';

useFakeClock();

const fail = (): never => {
  throw new TransientError('busy');
};

describe('the delay before another attempt', () => {
  test.each([
    ['without jitter', 0, [100, 400, 1600, 6400, 25_600, 60_000, 60_000]],
    ['with half of the jitter', 0.5, [125, 500, 2000, 8000, 32_000, 60_000, 60_000]],
    ['with all of the jitter', 1, [150, 600, 2400, 9600, 38_400, 60_000, 60_000]],
  ])('is four times longer each time, up to a minute: %s', async (_where, random, expected) => {
    const waits: number[] = [];
    const dispatcher = dispatcherOf(fail, {
      maxAttempts: expected.length + 1,
      circuitBreaker: false,
      random: () => random,
      sleep: async (ms) => void waits.push(ms),
    });
    expect(await dispatcher.dispatch({ tool: 'work' })).toMatchObject({
      error: { kind: 'transient', attempts: expected.length + 1 },
    });
    expect(waits).toEqual(expected);
  });

  test('passes between the attempts by default', async () => {
    const triedAt: number[] = [];
    const start = performance.now();
    const dispatcher = dispatcherOf(
      () => {
        triedAt.push(performance.now() - start);
        fail();
      },
      { maxAttempts: 4, random: () => 0 },
    );
    const result = dispatcher.dispatch({ tool: 'work' });
    await vi.runAllTimersAsync();
    expect(await result).toMatchObject({ error: { kind: 'transient' }, durationMs: 2100 });
    expect(triedAt).toEqual([0, 100, 500, 2100]);
  });

  test('has a random jitter by default', async () => {
    const waits: number[] = [];
    const dispatcher = dispatcherOf(fail, {
      maxAttempts: 2,
      circuitBreaker: false,
      sleep: async (ms) => void waits.push(ms),
    });
    for (let call = 0; call < 20; call++) await dispatcher.dispatch({ tool: 'work' });
    expect(waits).toHaveLength(20);
    expect(waits.every((ms) => ms >= 100 && ms < 150)).toBe(true);
    expect(new Set(waits).size).toBeGreaterThan(1);
  });

  test('does not follow the last attempt', async () => {
    const waits: number[] = [];
    const dispatcher = dispatcherOf(fail, {
      maxAttempts: 1,
      sleep: async (ms) => void waits.push(ms),
    });
    await dispatcher.dispatch({ tool: 'work' });
    expect(waits).toEqual([]);
  });

  test.each([
    ['the default sleep', undefined],
    ['a sleep that ignores the signal', () => new Promise<void>(() => undefined)],
  ])('ends when the caller aborts: %s', async (_what, sleep) => {
    const controller = new AbortController();
    let calls = 0;
    const dispatcher = dispatcherOf(
      () => {
        calls++;
        fail();
      },
      { random: () => 0, sleep },
    );
    const result = dispatcher.dispatch({ tool: 'work', signal: controller.signal });
    await vi.advanceTimersByTimeAsync(99);
    controller.abort();
    expect(await result).toMatchObject({
      error: { kind: 'aborted', attempts: 1 },
      durationMs: 99,
    });
    await vi.runAllTimersAsync();
    expect([calls, vi.getTimerCount()]).toEqual([1, 0]);
  });
});
