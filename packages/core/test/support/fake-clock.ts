import { afterEach, beforeEach, vi } from 'vitest';

/**
 * Fakes the clocks and timers in every test of the file: time passes only when the test advances it.
 * Promises and microtasks run as usual.
 */
export function useFakeClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
      // The timers of `node:timers/promises` as well.
      fakeNodeBuiltins: true,
    });
    // A real monotonic clock never reads zero, and lru-cache takes zero for "no start time".
    vi.advanceTimersByTime(1000);
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}
