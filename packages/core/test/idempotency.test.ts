import { describe, expect, test, vi } from 'vitest';

import type { DispatcherOptions } from '../src/index.ts';
import { dispatcherOf } from './support/dispatch.ts';
import { useFakeClock } from './support/fake-clock.ts';

useFakeClock();

/** Calls a tool with an idempotency key; the tool returns how often it was called. */
function setUp(cache: DispatcherOptions['cache'], execute?: (call: number) => unknown) {
  let calls = 0;
  const dispatcher = dispatcherOf(
    () => {
      calls++;
      return execute === undefined ? calls : execute(calls);
    },
    { cache },
  );
  return (idempotencyKey = 'step-1') => dispatcher.dispatch({ tool: 'work', idempotencyKey });
}

describe('a value is cached', () => {
  test.each([
    ['for a minute by default', undefined, 60_000],
    ['for ttlMs', { ttlMs: 500 }, 500],
  ])('%s', async (_what, cache, ttlMs) => {
    const call = setUp(cache);
    expect(await call()).toMatchObject({ value: 1, cached: false });
    vi.advanceTimersByTime(ttlMs);
    expect(await call()).toMatchObject({ value: 1, attempts: 0, cached: true });
    vi.advanceTimersByTime(1);
    expect(await call()).toMatchObject({ value: 2, attempts: 1, cached: false });
  });

  test('from the end of the call, not from its start', async () => {
    const call = setUp({ ttlMs: 500 }, async (n) => {
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      return n;
    });
    const first = call();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await first).toMatchObject({ value: 1, cached: false });
    vi.advanceTimersByTime(500);
    expect(await call()).toMatchObject({ value: 1, cached: true });
  });

  test('and a read does not extend the time', async () => {
    const call = setUp({ ttlMs: 500 });
    await call();
    for (let n = 0; n < 5; n++) {
      vi.advanceTimersByTime(100);
      expect(await call()).toMatchObject({ value: 1, cached: true });
    }
    vi.advanceTimersByTime(1);
    expect(await call()).toMatchObject({ value: 2, cached: false });
  });

  test('for the same time again after it has expired', async () => {
    const call = setUp({ ttlMs: 500 });
    await call();
    vi.advanceTimersByTime(501);
    await call();
    vi.advanceTimersByTime(500);
    expect(await call()).toMatchObject({ value: 2, cached: true });
  });

  test('under each key for its own time', async () => {
    const call = setUp({ ttlMs: 500 });
    await call('a');
    vi.advanceTimersByTime(300);
    await call('b');
    vi.advanceTimersByTime(201);
    expect(await call('b')).toMatchObject({ value: 2, cached: true });
    expect(await call('a')).toMatchObject({ value: 3, cached: false });
  });
});

test('a failure is not cached', async () => {
  const call = setUp({ ttlMs: 500 }, (n) => {
    if (n === 1) throw new Error('broken');
    return n;
  });
  expect(await call()).toMatchObject({ ok: false, error: { kind: 'internal' } });
  expect(await call()).toMatchObject({ value: 2, cached: false });
});

test('a running call is joined, even after ttlMs', async () => {
  const gate = Promise.withResolvers<string>();
  const call = setUp({ ttlMs: 500 }, () => gate.promise);
  const first = call();
  await vi.advanceTimersByTimeAsync(20_000);
  const second = call();
  await vi.advanceTimersByTimeAsync(0);
  gate.resolve('done');
  expect(await first).toMatchObject({ value: 'done', attempts: 1, cached: false });
  expect(await second).toMatchObject({ value: 'done', attempts: 0, cached: true });
});
