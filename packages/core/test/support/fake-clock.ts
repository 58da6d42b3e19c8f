import { afterEach, beforeEach, vi } from 'vitest';

/**
 * In each test of the file, clocks and timers stand still until the test advances them. Promises and
 * microtasks run as usual.
 */
export function useFakeClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
      // Also those that come from `node:timers/promises`.
      fakeNodeBuiltins: true,
    });
    // A real monotonic clock is never at zero, and a cache may take zero for "no time known".
    vi.advanceTimersByTime(1000);
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}
