import { afterEach, describe, expect, test, vi } from 'vitest';

import { RestartPolicy } from '../src/pools/process/restart-policy.ts';
import { useFakeClock } from './support/fake-clock.ts';

useFakeClock();
afterEach(() => {
  vi.restoreAllMocks();
});

/** A policy, with what it did: when it started hosts, and what it said of its pool. */
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

/** How long the policy waits after each of so many failures, one after the other. */
function waitsAfter(failures: number, random: number): number[] {
  const { policy, startedAt } = setUp();
  vi.spyOn(Math, 'random').mockReturnValue(random);
  for (let failure = 0; failure < failures; failure++) {
    policy.failed('no host', undefined);
    vi.advanceTimersToNextTimer();
  }
  return startedAt.map((at, index) => at - (startedAt[index - 1] ?? 0));
}

describe('the wait before another start', () => {
  test.each([
    ['in the middle of its range', 0.5, [100, 200, 400, 800, 1600, 3200, 5000, 5000]],
    ['at the lower end', 0, [75, 150, 300, 600, 1200, 2400, 3750, 3750]],
    ['at the upper end', 1, [125, 250, 500, 1000, 2000, 4000, 6250, 6250]],
  ])('doubles up to five seconds, a quarter more or less: %s', (_where, random, expected) => {
    expect(waitsAfter(expected.length, random)).toEqual(expected);
  });

  test('is one for all failures that come during it', () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { policy, startedAt } = setUp();
    for (let failure = 0; failure < 2; failure++) policy.failed('no host', undefined);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(60_000);
    expect(startedAt).toEqual([100]);
    // All of them count for the next one.
    policy.failed('no host', undefined);
    vi.advanceTimersByTime(60_000);
    expect(startedAt).toEqual([100, 60_000 + 400]);
  });

  test('is short again after a success', () => {
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

  test('keeps no process alive', () => {
    const setTimer = vi.spyOn(globalThis, 'setTimeout');
    setUp().policy.failed('no host', undefined);
    expect(setTimer.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
  });

  test('ends without a start when the policy is closed', () => {
    const { policy, startedAt } = setUp();
    policy.failed('no host', undefined);
    policy.close();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(60_000);
    expect(startedAt).toEqual([]);
  });
});

describe('a pool is degraded', () => {
  const cause = new Error('ENOENT');

  test('from the third failure on, and told so at each', () => {
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

  test('until a host starts; failures before that do not count any more', () => {
    const { policy, degraded } = setUp();
    for (let failure = 0; failure < 3; failure++) policy.failed('spawn failed', cause);
    policy.succeeded();
    expect(policy.degraded).toBeUndefined();
    for (let failure = 0; failure < 2; failure++) policy.failed('spawn failed', cause);
    expect([policy.degraded, degraded.length]).toEqual([undefined, 1]);
    policy.failed('spawn failed', cause);
    expect(policy.degraded?.message).toBe('No host can be started (3 failures): spawn failed');
  });

  test('and goes on trying', () => {
    const { policy, startedAt } = setUp();
    for (let failure = 0; failure < 10; failure++) {
      policy.failed('spawn failed', cause);
      vi.advanceTimersToNextTimer();
    }
    expect(startedAt).toHaveLength(10);
  });
});
