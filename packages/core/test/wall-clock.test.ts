import { describe, expect, test, vi } from 'vitest';

import { WallClock } from '../src/executor/wall-clock.ts';
import { useFakeClock } from './support/fake-clock.ts';

useFakeClock();

/** A clock, and the times of its callbacks in milliseconds since its start. */
function setUp(limitMs: number) {
  const elapsedAt: number[] = [];
  const start = performance.now();
  const clock = new WallClock(limitMs, () => elapsedAt.push(performance.now() - start));
  return { clock, elapsedAt };
}

/** A pause that the test ends. */
function waitIn(clock: WallClock) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return { paused: clock.pauseDuring(() => promise), resolve, reject };
}

describe('the limit', () => {
  test('calls onElapsed once, exactly when it is reached', () => {
    const { clock, elapsedAt } = setUp(100);
    vi.advanceTimersByTime(99);
    expect([elapsedAt, clock.elapsedMs]).toEqual([[], 99]);
    vi.advanceTimersByTime(1);
    expect(elapsedAt).toEqual([100]);
    vi.advanceTimersByTime(1000);
    expect(elapsedAt).toEqual([100]);
  });

  test('does not stop the counting', () => {
    const { clock } = setUp(100);
    vi.advanceTimersByTime(250);
    expect(clock.elapsedMs).toBe(250);
  });
});

describe('a pause', () => {
  test('does not count; afterwards the clock continues with the remaining time', async () => {
    const { clock, elapsedAt } = setUp(100);
    vi.advanceTimersByTime(60);
    const wait = waitIn(clock);
    vi.advanceTimersByTime(5000);
    expect([elapsedAt, clock.elapsedMs]).toEqual([[], 60]);
    wait.resolve('yes');
    await wait.paused;
    vi.advanceTimersByTime(39);
    expect([elapsedAt, clock.elapsedMs]).toEqual([[], 99]);
    vi.advanceTimersByTime(1);
    expect([elapsedAt, clock.elapsedMs]).toEqual([[5100], 100]);
  });

  test('calls the wait at once', () => {
    const { clock } = setUp(100);
    let began = false;
    void clock.pauseDuring(async () => {
      began = true;
    });
    expect(began).toBe(true);
  });

  test('returns the result of the wait', async () => {
    const { clock } = setUp(100);
    expect(await clock.pauseDuring(async () => 'yes')).toBe('yes');
  });

  test.each([
    ['rejects', () => Promise.reject(new Error('nobody there'))],
    [
      'throws at once',
      () => {
        throw new Error('nobody there');
      },
    ],
  ])('for a wait that %s passes the error on, and the clock continues', async (_what, wait) => {
    const { clock, elapsedAt } = setUp(100);
    await expect(clock.pauseDuring(wait)).rejects.toThrow('nobody there');
    vi.advanceTimersByTime(100);
    expect(elapsedAt).toEqual([100]);
  });

  test('can follow another pause: none of them counts', async () => {
    const { clock, elapsedAt } = setUp(100);
    for (let n = 0; n < 3; n++) {
      vi.advanceTimersByTime(30);
      const wait = waitIn(clock);
      vi.advanceTimersByTime(1000);
      wait.resolve('yes');
      await wait.paused;
    }
    expect(clock.elapsedMs).toBe(90);
    vi.advanceTimersByTime(10);
    expect(elapsedAt).toEqual([3100]);
  });

  test('after the limit is not counted either, and onElapsed is not called again', async () => {
    const { clock, elapsedAt } = setUp(100);
    vi.advanceTimersByTime(150);
    const wait = waitIn(clock);
    vi.advanceTimersByTime(1000);
    expect(clock.elapsedMs).toBe(150);
    wait.resolve('yes');
    await wait.paused;
    vi.advanceTimersByTime(1000);
    expect([elapsedAt, clock.elapsedMs]).toEqual([[100], 1150]);
  });
});

describe('several pauses', () => {
  test.each([
    ['the first one ends last', ['second', 'first']],
    ['the last one ends last', ['first', 'second']],
  ])('last until the last wait has ended: %s', async (_what, order) => {
    const { clock, elapsedAt } = setUp(100);
    vi.advanceTimersByTime(10);
    const waits = new Map([['first', waitIn(clock)]]);
    vi.advanceTimersByTime(500);
    waits.set('second', waitIn(clock));
    for (const name of order) {
      vi.advanceTimersByTime(500);
      expect(clock.elapsedMs).toBe(10);
      const wait = waits.get(name);
      wait?.resolve('yes');
      await wait?.paused;
    }
    vi.advanceTimersByTime(90);
    expect(elapsedAt).toEqual([1600]);
  });

  test('can be nested', async () => {
    const { clock, elapsedAt } = setUp(100);
    await clock.pauseDuring(async () => {
      vi.advanceTimersByTime(500);
      await clock.pauseDuring(async () => void vi.advanceTimersByTime(500));
      // The outer wait is still pending.
      vi.advanceTimersByTime(500);
    });
    expect([elapsedAt, clock.elapsedMs]).toEqual([[], 0]);
    vi.advanceTimersByTime(100);
    expect(elapsedAt).toEqual([1600]);
  });
});

describe('a stopped clock', () => {
  test('does not call onElapsed, keeps elapsedMs, and has no timer', () => {
    const { clock, elapsedAt } = setUp(100);
    vi.advanceTimersByTime(40);
    clock.stop();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(1000);
    expect([elapsedAt, clock.elapsedMs]).toEqual([[], 40]);
  });

  test('can be stopped again', () => {
    const { clock } = setUp(100);
    vi.advanceTimersByTime(40);
    clock.stop();
    vi.advanceTimersByTime(40);
    clock.stop();
    expect(clock.elapsedMs).toBe(40);
  });

  test('that is stopped in a pause does not continue after the pause', async () => {
    const { clock, elapsedAt } = setUp(100);
    vi.advanceTimersByTime(40);
    const wait = waitIn(clock);
    clock.stop();
    wait.resolve('yes');
    expect(await wait.paused).toBe('yes');
    vi.advanceTimersByTime(1000);
    expect([elapsedAt, clock.elapsedMs, vi.getTimerCount()]).toEqual([[], 40, 0]);
  });

  test('still waits in pauseDuring, and does not start again', async () => {
    const { clock, elapsedAt } = setUp(100);
    clock.stop();
    expect(await clock.pauseDuring(async () => 'yes')).toBe('yes');
    vi.advanceTimersByTime(1000);
    expect([elapsedAt, clock.elapsedMs]).toEqual([[], 0]);
  });
});
