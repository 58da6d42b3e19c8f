import { afterEach, describe, expect, test, vi } from 'vitest';

import { RestartPolicy } from '../src/pools/process/restart-policy.ts';
import { useFakeClock } from './support/fake-clock.ts';

useFakeClock();
afterEach(() => {
  vi.restoreAllMocks();
});

/** A policy, the times at which it started hosts, and its reports that the pool is degraded. */
function setUp() {
  const startedAt: number[] = [];
  const degraded: [message: string, cause: unknown][] = [];
  const start = performance.now();
  const policy = new RestartPolicy(
    () => startedAt.push(performance.now() - start),
    (...told) => degraded.push(told),
  );
  return { policy, startedAt, degraded };
}

/** The delay after each of a number of consecutive failures. */
function waitsAfter(failures: number, random: number): number[] {
  const { policy, startedAt } = setUp();
  vi.spyOn(Math, 'random').mockReturnValue(random);
  for (let failure = 0; failure < failures; failure++) {
    policy.failed('no host', undefined);
    vi.advanceTimersToNextTimer();
  }
  return startedAt.map((at, index) => at - (startedAt[index - 1] ?? 0));
}

describe('the delay before the next start', () => {
  test.each([
    ['in the middle of its range', 0.5, [100, 200, 400, 800, 1600, 3200, 5000, 5000]],
    ['at the lower end', 0, [75, 150, 300, 600, 1200, 2400, 3750, 3750]],
    ['at the upper end', 1, [125, 250, 500, 1000, 2000, 4000, 6250, 6250]],
  ])('doubles up to 5 s, with a jitter of ±25 %%: %s', (_where, random, expected) => {
    expect(waitsAfter(expected.length, random)).toEqual(expected);
  });

  test('is not restarted by failures during the delay', () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { policy, startedAt } = setUp();
    for (let failure = 0; failure < 2; failure++) policy.failed('no host', undefined);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(60_000);
    expect(startedAt).toEqual([100]);
    // Both failures count for the next delay.
    policy.failed('no host', undefined);
    vi.advanceTimersByTime(60_000);
    expect(startedAt).toEqual([100, 60_000 + 400]);
  });

  test('is the first delay again after a success', () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { policy, startedAt } = setUp();
    for (let failure = 0; failure < 5; failure++) {
      policy.failed('no host', undefined);
      vi.advanceTimersToNextTimer();
    }
    policy.succeeded();
    const before = startedAt.at(-1) ?? 0;
    policy.failed('no host', undefined);
    vi.advanceTimersToNextTimer();
    expect((startedAt.at(-1) ?? 0) - before).toBe(100);
  });

  test('does not keep the process alive', () => {
    const setTimer = vi.spyOn(globalThis, 'setTimeout');
    setUp().policy.failed('no host', undefined);
    expect(setTimer.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
  });

  test('ends without a start if the policy is closed', () => {
    const { policy, startedAt } = setUp();
    policy.failed('no host', undefined);
    policy.close();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(60_000);
    expect(startedAt).toEqual([]);
  });
});

describe('the pool is degraded', () => {
  const cause = new Error('ENOENT');

  test('from the third consecutive failure; each further failure is reported', () => {
    const { policy, degraded } = setUp();
    for (let failure = 0; failure < 2; failure++) policy.failed('spawn failed', cause);
    expect([policy.degraded, degraded]).toEqual([undefined, []]);
    policy.failed('spawn failed', cause);
    const third = 'No host can be started (3 failures): spawn failed';
    expect(policy.degraded).toEqual({ message: third, cause });
    policy.failed('out of memory', undefined);
    const fourth = 'No host can be started (4 failures): out of memory';
    expect(policy.degraded).toEqual({ message: fourth, cause: undefined });
    expect(degraded).toEqual([
      [third, cause],
      [fourth, undefined],
    ]);
  });

  test('until a host starts; then failures count from zero', () => {
    const { policy, degraded } = setUp();
    for (let failure = 0; failure < 3; failure++) policy.failed('spawn failed', cause);
    policy.succeeded();
    expect(policy.degraded).toBeUndefined();
    for (let failure = 0; failure < 2; failure++) policy.failed('spawn failed', cause);
    expect([policy.degraded, degraded.length]).toEqual([undefined, 1]);
    policy.failed('spawn failed', cause);
    expect(policy.degraded?.message).toBe('No host can be started (3 failures): spawn failed');
  });

  test('and the policy still starts hosts after each delay', () => {
    const { policy, startedAt } = setUp();
    for (let failure = 0; failure < 10; failure++) {
      policy.failed('spawn failed', cause);
      vi.advanceTimersToNextTimer();
    }
    expect(startedAt).toHaveLength(10);
  });
});
